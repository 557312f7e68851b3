//! Trains a learner: checkpoints, evaluations, the curve and the progress line.
//!
//! In dependency order: evaluations of the learner (`evaluations`), the progress line
//! (`display`), the points of the curve (`point`), their chart (`chart`) and file (`curve`), and
//! the training itself (`run`).

mod chart;
mod curve;
mod display;
mod evaluations;
mod point;
mod run;

pub use chart::draw;
pub use curve::Curve;
pub use display::Place;
pub use evaluations::{Evaluated, Evaluations};
pub use point::Point;
pub use run::{Trained, Training, TrainingFailure};
