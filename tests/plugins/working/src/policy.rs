//! A value with action priors.

use runner_core::{
    Afterstate, BuildContext, BuildError, Game, Plugin, State, Successors, Value, ValuePlugin,
};

/// The value of a position is its first word, and the first legal action has all of the prior.
pub struct Policy;

impl Value for Policy {
    fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]) {
        values.iter_mut().zip(afterstates).for_each(|(value, a)| *value = a.lo as f32);
    }

    fn has_priors(&self) -> bool {
        true
    }

    fn evaluate_states(
        &self,
        game: &dyn Game,
        states: &[State],
        priors: &mut [f32],
        values: &mut [f32],
    ) {
        let actions = game.description().actions.len();
        let mut successors = Successors::new();
        for ((state, priors), value) in
            states.iter().zip(priors.chunks_mut(actions)).zip(values.iter_mut())
        {
            game.successors(*state, &mut successors);
            priors.fill(0.0);
            if let Some(first) = successors.first() {
                priors[first.action.index()] = 1.0;
            }
            *value = state.lo as f32;
        }
    }
}

impl Plugin for Policy {
    const NAME: &'static str = "policy";
    const ABOUT: &'static str = "a value with action priors, for the tests";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = ();
}

impl ValuePlugin for Policy {
    fn new((): (), _: &BuildContext<'_>) -> Result<Self, BuildError> {
        Ok(Self)
    }
}
