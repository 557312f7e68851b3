//! The parameters, as a spec gives them.

use runner_core::{BuildError, Description, TimeLimit, parameters};

parameters! {
    /// The parameters of [`PureMonteCarlo`](crate::PureMonteCarlo).
    pub struct PlayoutConfig {
        /// Random games for each action; with `moves`, for each list of actions
        pub playouts: u64 = 100, range(1..=MAX_PLAYOUTS);
        /// Time for a move: the playouts are repeated until it is over
        pub time: Option<TimeLimit> = None;
        /// Weight of the mean score in the action's value
        pub mean: f64 = 1.0, range(0.0..=MAX_WEIGHT);
        /// Weight of the lowest score
        pub min: f64 = 0.0, range(0.0..=MAX_WEIGHT);
        /// Weight of the highest score
        pub max: f64 = 0.0, range(0.0..=MAX_WEIGHT);
        /// Number of fixed actions with which a playout begins: all lists of this length are
        /// tried, and the first action of the best list is taken. Actions that are not legal when
        /// their turn comes are skipped
        pub moves: u32 = 1, any::<u32>().form("1 and more; 7 with four actions");
        /// Threads that play the playouts of one move
        pub threads: usize = 1, threads();
    }
}

/// Maximum weight. A larger one would make an infinity of a score.
const MAX_WEIGHT: f64 = 1e6;

const MAX_PLAYOUTS: u64 = 10_000_000;

/// Maximum number of lists of fixed actions.
const MAX_LISTS: usize = 4096;

impl PlayoutConfig {
    /// Refuses weights and lists of actions that no game, or not this one, can have.
    pub fn check_for(&self, game: &Description) -> Result<(), BuildError> {
        if self.mean + self.min + self.max <= 0.0 {
            let message = "one of the weights `mean`, `min` and `max` must be above 0";
            return Err(BuildError::of("mean", message));
        }
        let lists = |moves: u32| game.actions.len().checked_pow(moves - 1).unwrap_or(usize::MAX);
        if self.moves >= 1 && lists(self.moves) <= MAX_LISTS {
            return Ok(());
        }
        let most = (1..=MAX_LISTS as u32).take_while(|&moves| lists(moves) <= MAX_LISTS).last();
        let message = format!("{} is not from 1 to {}", self.moves, most.unwrap_or(1));
        Err(BuildError::of("moves", message))
    }
}
