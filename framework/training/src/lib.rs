//! Trains a learner: checkpoints, evaluations and the curve.
//!
//! In dependency order: its events (`event`), how a learner plays (`learned`), its
//! evaluations (`evaluations`), the points of the curve (`point`) and its file
//! (`curve`), the files of a training (`files`), the training with these (`job`), and the players whose
//! learners are trained before they play (`prepared`).
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
pub use event::{Event, Watch};
pub use files::{JobFiles, Refused, Source};
pub use job::{Job, JobFailure, Trained};
pub use point::{Origin, Point, finite_series, reached};
pub use prepared::Prepared;
