//! An estimate that goes wrong.

use runner_core::{
    Afterstate, BuildContext, BuildError, ParameterValue, Plugin, Value, ValuePlugin, parameters,
};
use serde::{Deserialize, Serialize};

/// The call that panics, or another fault. `Endless` calls never return.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum At {
    Nowhere,
    New,
    EndlessNew,
    Evaluate,
    Nan,
    /// The last estimate of each call is infinite.
    Infinite,
    Endless,
}

impl ParameterValue for At {}

parameters! {
    #[derive(Copy)]
    pub struct Config {
        /// Where it goes wrong
        pub at: At = At::Nowhere, variants::<At>();
    }
}

/// Gives 0 to every position. The estimate of one position in 256 can be made to fail.
#[derive(Debug)]
pub struct FaultyValue {
    at: At,
}

impl Value for FaultyValue {
    fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]) {
        let fateful = self.at == At::Evaluate && afterstates.iter().any(is_fateful);
        assert!(!fateful, "the estimate went wrong");
        if self.at == At::Endless {
            crate::never_return();
        }
        values.fill(if self.at == At::Nan { f32::NAN } else { 0.0 });
        if let (At::Infinite, Some(last)) = (self.at, values.last_mut()) {
            *last = f32::INFINITY;
        }
    }
}

/// One position of 256, by its hash.
fn is_fateful(position: &Afterstate) -> bool {
    (position.lo ^ position.hi).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56 == 0
}

impl Plugin for FaultyValue {
    const NAME: &'static str = "faulty-value";
    const ABOUT: &'static str = "an estimate that goes wrong";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = Config;
}

impl ValuePlugin for FaultyValue {
    fn new(Config { at }: Config, _: &BuildContext<'_>) -> Result<Self, BuildError> {
        assert!(at != At::New, "building the value went wrong");
        if at == At::EndlessNew {
            crate::never_return();
        }
        Ok(Self { at })
    }
}
