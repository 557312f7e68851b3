//! The training loop. How games are played depends on the number of threads:
//!
//! * A single thread plays two games in turn, and prefetches the weights of one while it moves in
//!   the other.
//! * Two threads play the same games in step, each with half of the tables (`in_step`), if the
//!   update scheme and the network allow it.
//! * Otherwise each thread plays one game.
//!
//! `train` sets up a training, `batches` plays its batches of moves, `moves` makes one move, and
//! `phases` trains the stages of a network one after the other.

mod batches;
mod game;
mod in_step;
mod moves;
mod phases;
mod state;
mod train;

pub use batches::{PhasePart, TrainingOptions};
pub use phases::{InTurn, train_in_turn};
pub use state::TrainingState;
pub use train::train;
