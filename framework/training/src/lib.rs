//! Trains a learner: checkpoints, evaluations and the curve.
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    warn(clippy::disallowed_methods, clippy::print_stderr, clippy::print_stdout)
)]

mod curve;
mod evaluations;
mod event;
mod files;
mod job;
pub mod learned;
mod point;
mod prepared;

pub use curve::Curve;
pub use evaluations::{Evaluated, Evaluations};
pub use event::{TrainingEvent, TrainingWatch};
pub use files::{FileOptionNames, JobFiles, ModelSource, RefusedFiles, refuse_missing};
pub use job::{FinishedTraining, JobFailure, TrainingJob};
pub use point::{Point, TrainingOrigin, finite_series, reached};
pub use prepared::Prepared;
