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
pub use event::{Event, Watch};
pub use files::{JobFiles, Refused, Source};
pub use job::{Job, JobFailure, Trained};
pub use point::{Origin, Point, finite_series, reached};
pub use prepared::Prepared;
