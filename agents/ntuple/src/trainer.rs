//! The training loop. Every thread plays several games in turn, so that the weights that one
//! game needs are prefetched while the others move.
//!
//! In dependency order: the positions that a game passes and those at which it enters a stage;
//! a game; the collection of entrances with frozen weights; the series of a progress;
//! [`TrainingState`] with the games and results that outlast one training; the start positions;
//! the counters of moves and finished games; the reports; one move; [`train`], which schedules
//! all of them on threads; and [`train_in_turn`], which trains stages one after the other.

mod collection;
mod counters;
mod entrances;
mod game;
mod moves;
mod reporter;
mod schedule;
mod series;
mod stages_in_turn;
mod starts;
mod state;
mod waypoints;

pub use schedule::{GAMES_PER_THREAD, PhasePart, TrainingOptions, train};
pub use stages_in_turn::{InTurn, train_in_turn};
pub use state::TrainingState;
