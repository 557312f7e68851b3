//! Trains a learner: checkpoints, evaluations, the curve and the progress line.
//!
//! In dependency order: how a learner plays (`learned`), its evaluations (`evaluations`), the points
//! of the curve (`point`), the panel of a terminal (`panel`), what shows the progress (`display`),
//! the chart of the curve (`chart`) and its file (`curve`), the training itself (`run`), and the
//! training with its files (`job`).
#![forbid(unsafe_code)]

mod chart;
mod curve;
mod display;
mod evaluations;
mod job;
pub mod learned;
mod panel;
mod point;
mod run;

pub use chart::{LearnerCurves, chart, draw};
pub use curve::Curve;
pub use display::Place;
pub use evaluations::{Evaluated, Evaluations};
pub use job::{Job, JobFailure, JobFiles, Source};
pub use point::{Origin, Point, finite_series};
pub use run::{Trained, Training, TrainingFailure};
