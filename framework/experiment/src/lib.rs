//! Experiments: trainings of several configurations with several seeds, their evaluations, and
//! the table of the results.
//!
//! The parts are independent of each other, and each result names its part, so an interrupted
//! experiment continues with the parts that are missing.
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    warn(clippy::disallowed_methods, clippy::print_stderr, clippy::print_stdout)
)]

mod definition;
mod folder;
mod parts;
mod record;
mod resolved;
mod results;
mod run;
mod table;
#[cfg(test)]
mod tests;

pub use definition::{Experiment, ExperimentChanges};
pub use folder::{ExperimentFolder, Records};
pub use parts::Part;
pub use record::{EvaluationRecord, ExperimentRecord, TrainingRecord};
pub use results::{EvaluationResults, ExperimentResults, Rate};
pub use run::ExperimentRun;
