//! The training loop. Every thread plays several games in turn, so that the weights that one
//! game needs are prefetched while the others move.
//!
//! In dependency order: the positions that a game passes and those at which it enters a stage;
//! a game; [`TrainingState`] with the games and results that outlast one training; the start
//! positions; the accounts of moves and finished games; the reports; one move; and [`train`],
//! which schedules all of them on threads.

mod accounts;
mod entrances;
mod game;
mod moves;
mod reporter;
mod schedule;
mod starts;
mod state;
mod waypoints;

pub use schedule::{GAMES_PER_THREAD, TrainingOptions, train};
pub use state::TrainingState;
