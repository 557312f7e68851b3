//! The training loop. A single thread plays two games in turn and prefetches the weights of one while
//! it moves in the other; several threads play one game each.
//!
//! In dependency order: a game; [`TrainingState`] with the games and results that outlast one
//! training, and its counters; one move; [`train`], which schedules all of them on threads; and
//! [`train_in_turn`], which trains stages one after the other.

mod game;
mod moves;
mod phases;
mod schedule;
mod state;

pub use phases::{InTurn, train_in_turn};
pub use schedule::{PhasePart, TrainingOptions, train};
pub use state::TrainingState;
