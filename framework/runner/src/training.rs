//! Trains a learner: checkpoints, evaluations, the curve and the progress line.
//!
//! In dependency order: evaluations of the learner (`evaluations`), the progress line
//! (`display`), the points of the curve (`point`), their chart (`chart`) and file (`curve`), the
//! training itself (`run`), and the training with its files (`job`).

mod chart;
mod curve;
mod display;
mod evaluations;
mod job;
mod point;
mod run;

pub use chart::draw;
pub use curve::Curve;
pub use display::Place;
pub use evaluations::{Evaluated, Evaluations, player_with};
pub use job::{Job, JobFailure, JobFiles, Source};
pub use point::{Point, finite_series};
pub use run::{Trained, Training, TrainingFailure};
