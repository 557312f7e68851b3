//! The training loop. A single thread plays two games in turn and prefetches the weights of one while
//! it moves in the other; two threads play the same games, each with half of the tables, where that is
//! possible; other threads play one game each.

mod game;
mod in_step;
mod moves;
mod phases;
mod schedule;
mod state;
mod train;

pub use phases::{InTurn, train_in_turn};
pub use schedule::{PhasePart, TrainingOptions};
pub use state::TrainingState;
pub use train::train;
