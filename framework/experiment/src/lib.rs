//! Experiments: trainings of several configurations with several seeds, their evaluations, and
//! the table of the results.
//!
//! The parts are independent of each other, and each result names its part, so an interrupted
//! experiment continues with the parts that are missing.
//!
//! In dependency order: the file (`definition`), the lines of the results (`record`), specs with
//! their defaults (`resolved`), the folder (`folder`), the parts that are missing (`parts`), the
//! run (`run`), what is left to do (`plan`) and the result (`report`).
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    warn(clippy::disallowed_methods, clippy::print_stderr, clippy::print_stdout)
)]

mod definition;
mod folder;
mod parts;
mod plan;
mod record;
mod report;
mod resolved;
mod run;

pub use definition::{Experiment, Figures};
pub use folder::{Folder, Records};
pub use parts::Part;
pub use plan::{Left, Plan, PlannedConfiguration, PlannedEvaluation};
pub use record::{EvaluationRecord, Record, TrainingRecord};
pub use report::{ConfigurationReport, EvaluationReport, Rate, Report};
pub use run::Run;
