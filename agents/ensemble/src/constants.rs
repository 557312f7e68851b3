//! Values whose estimates a test can predict.

use game_2048::Game2048;
use runner_core::{Afterstate, BuildContext, BuildError, Game, Host, Spec, Value, ValuePlugin};
use std::sync::Arc;

/// A value that is a constant plus the low word of the position.
pub struct Constant(pub f32);

impl Value for Constant {
    fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]) {
        for (value, afterstate) in values.iter_mut().zip(afterstates) {
            *value = self.0 + afterstate.lo as f32;
        }
    }
}

/// A host that builds the values `zero` to `three`.
struct Constants;

impl Host for Constants {
    fn threads(&self) -> usize {
        1
    }

    fn for_each(&self, n: usize, task: &(dyn Fn(usize) + Sync)) {
        (0..n).for_each(task);
    }

    fn value(&self, spec: &Spec) -> Result<Arc<dyn Value>, BuildError> {
        let known = ["zero", "one", "two", "three"];
        match known.iter().position(|&name| name == spec.name()) {
            Some(value) => Ok(Arc::new(Constant(value as f32))),
            None => Err(BuildError::new(format!("there is no value `{spec}`"))),
        }
    }
}

pub fn build<V: ValuePlugin>(spec: &str) -> Result<V, BuildError> {
    let host: Arc<dyn Host> = Arc::new(Constants);
    let game = Game2048::new(Default::default()).unwrap();
    let spec: Spec = spec.parse().unwrap();
    V::new(
        spec.read().unwrap(),
        &BuildContext { game: game.description(), game_spec: "2048", host: &host },
    )
}

/// Checks that a value cannot be built, for a reason in one of its parameters.
#[track_caller]
pub fn refused<V: ValuePlugin>(spec: &str, parameter: &str, part: &str) {
    let error = build::<V>(spec).err().expect(spec);
    assert_eq!(error.parameter.as_deref(), Some(parameter), "{error}");
    assert!(error.message.contains(part), "{error}");
}
