//! The parameters, as a spec gives them.

use runner_core::{BuildError, Description, Parameters, TimeLimit, parameters};

parameters! {
    /// The parameters of [`PureMonteCarlo`](crate::PureMonteCarlo).
    pub struct Config {
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
        /// Playouts for each action if one of the first `playouts` makes a larger tile than the
        /// board has
        pub deep_playouts: Option<u64> = None, any::<u64>().form("more than `playouts`");
        /// Lowest tile for which `deep_playouts` are made
        pub deep_tile: Option<u64> = None,
            any::<u64>().form("a tile").unset("the game's goal");
        /// Threads that play the playouts of one move
        pub threads: usize = 1, threads();
    }
}

/// Maximum weight. A larger one would make an infinity of a score.
const MAX_WEIGHT: f64 = 1e6;

const MAX_PLAYOUTS: u64 = 10_000_000;

/// Maximum number of lists of fixed actions.
const MAX_LISTS: usize = 4096;

/// More playouts for a decision in which one of the first makes a greater tile than the
/// board has.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct DeepSearch {
    /// Number of playouts of each action, the first ones included.
    pub playouts: u64,
    pub tile: u64,
}

impl Config {
    /// Checks the parameters that depend on each other or on the game. Returns the search near a
    /// new tile, if there is one.
    pub fn deep_search(&self, game: &Description) -> Result<Option<DeepSearch>, BuildError> {
        self.check()?;
        if self.mean + self.min + self.max <= 0.0 {
            let message = "one of the weights `mean`, `min` and `max` must be above 0";
            return Err(BuildError::of("mean", message));
        }
        self.check_moves(game)?;
        let Some(playouts) = self.deep_playouts else {
            return match self.deep_tile {
                Some(_) => {
                    Err(BuildError::of("deep_tile", "has no effect without `deep_playouts`"))
                }
                None => Ok(None),
            };
        };
        let refused = |message: String| Err(BuildError::of("deep_playouts", message));
        if game.tiles.is_empty() {
            return refused("the game has no tiles".to_owned());
        }
        if !(self.playouts + 1..=MAX_PLAYOUTS).contains(&playouts) {
            return refused(format!(
                "{playouts} is not above `playouts`, {}, and at most {MAX_PLAYOUTS}",
                self.playouts
            ));
        }
        if self.time.is_some() {
            return refused("cannot be combined with `time`".to_owned());
        }
        let tile = match self.deep_tile {
            Some(tile) if game.tiles.contains(&tile) => tile,
            Some(tile) => {
                let least = game.tiles.iter().find(|known| **known > tile).or(game.tiles.last());
                let near = least.copied().unwrap_or_default();
                let message = format!("{tile} is not a tile of the game; {near} is");
                return Err(BuildError::of("deep_tile", message));
            }
            None => game.goal.unwrap_or(game.tiles[0]),
        };
        Ok(Some(DeepSearch { playouts, tile }))
    }

    fn check_moves(&self, game: &Description) -> Result<(), BuildError> {
        let lists = |moves: u32| game.actions.len().checked_pow(moves - 1).unwrap_or(usize::MAX);
        if self.moves >= 1 && lists(self.moves) <= MAX_LISTS {
            return Ok(());
        }
        let most = (1..=MAX_LISTS as u32).take_while(|&moves| lists(moves) <= MAX_LISTS).last();
        let message = format!("{} is not from 1 to {}", self.moves, most.unwrap_or(1));
        Err(BuildError::of("moves", message))
    }
}
