//! Values and learners.

use super::game::GameTable;
use super::interface::*;
use super::object::SharedTable;
use runner_core::{Fault, ModelFormat, TrainingProgress, TrainingSession};
use std::path::Path;

/// The methods of [`Value`](runner_core::Value), which `runner-core` lists. All threads may use a value
/// at once.
macro_rules! value_interface {
    ($make:ident $arguments:tt) => {
        runner_core::__value_methods! { [$make] [$arguments] }
    };
}

value_interface! { interface_table [
    /// The functions of a value.
    #[derive(Clone, Copy)]
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
