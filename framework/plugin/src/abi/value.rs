//! Values and learners.

use super::game::GameTable;
use super::interface::*;
use super::object::SharedTable;
use runner_core::{
    Afterstate, Facts, Fault, ModelFormat, State, Successors, TrainingProgress, TrainingSession,
    ValueScale,
};
use std::any::Any;
use std::path::Path;

/// The methods of [`Value`](runner_core::Value) that cross. All threads may use a value at once.
macro_rules! value_interface {
    ($make:ident $arguments:tt) => {
        $make! { $arguments
            fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]),
                check |()| self.check_finite("evaluate", values);
            fn estimates_actions(&self) -> bool;
            fn action_values(
                &self, game: &dyn Game, state: State, successors: &Successors, values: &mut [f32]
            ), check |()| self.check_finite("action_values", values);
            fn has_priors(&self) -> bool;
            fn evaluate_states(
                &self, game: &dyn Game, states: &[State], priors: &mut [f32], values: &mut [f32]
            ), check |()| {
                self.check_finite("evaluate_states", priors);
                self.check_finite("evaluate_states", values);
            };
            fn exact_values(&self, afterstates: &[Afterstate], values: &mut [f32]),
                check |()| self.check_not_infinite("exact_values", values);
            fn scale(&self) -> ValueScale;
            fn facts(&self, afterstate: Afterstate) -> Facts;
            fn tables(&self) -> Option<&dyn Any>, by hand;
        }
    };
}

value_interface! { interface_table [
    /// The functions of a value.
    ValueTable {
        /// None if the value does not learn.
        learner: Option<&'static LearnerTable>,
    }
] }

impl SharedTable for ValueTable {}

/// The methods of [`Learner`](runner_core::Learner).
macro_rules! learner_interface {
    ($make:ident $arguments:tt) => {
        $make! { $arguments
            fn train(
                &self, game: &impl Game, session: &TrainingSession<'_>
            ) -> Result<TrainingProgress, Fault>;
            fn progress(&self) -> TrainingProgress;
            fn formats(&self) -> Vec<ModelFormat>;
            fn save(&self, path: &Path, format: &str) -> Result<(), Fault>;
            fn load(&self, files: &[&Path]) -> Result<(), Fault>;
        }
    };
}

learner_interface! { interface_table [
    /// The further functions of a value that learns.
    LearnerTable {}
] }
