//! The parameters, as a spec gives them.

use crate::options::{Criterion, DeepSearch, Options};
use runner_core::{BuildError, Description, Parameter};
use runner_spec::quantity;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The parameters of [`PureMonteCarlo`](crate::PureMonteCarlo).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Random games for each action, or for each list of actions.
    pub playouts: u64,
    /// Time for a move, in which the playouts are repeated.
    pub time: Option<String>,
    /// Weight of the mean score.
    pub mean: f64,
    /// Weight of the lowest score.
    pub min: f64,
    /// Weight of the highest score.
    pub max: f64,
    /// Number of fixed first actions of a playout.
    pub moves: u32,
    /// Playouts for each action once one of them makes a new great tile.
    pub deep_playouts: Option<u64>,
    /// The lowest tile that counts as great.
    pub deep_tile: Option<u64>,
    /// Number of threads for one move.
    pub threads: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            playouts: 100,
            time: None,
            mean: 1.0,
            min: 0.0,
            max: 0.0,
            moves: 1,
            deep_playouts: None,
            deep_tile: None,
            threads: 1,
        }
    }
}

/// Maximum number of playouts.
const MAX_PLAYOUTS: u64 = 10_000_000;

/// Maximum number of lists of fixed actions.
const MAX_LISTS: usize = 4096;

/// Maximum number of threads for one move.
const MAX_THREADS: usize = 256;

impl Config {
    /// Returns the parameters with their help.
    pub fn parameters() -> Vec<Parameter> {
        let parameter = Parameter::new;
        vec![
            parameter(
                "playouts",
                "1 to 10000000",
                "100",
                "Random games for each action; with `moves`, for each list of actions",
            ),
            parameter(
                "time",
                quantity::TIME_LIMITS,
                "None",
                "Time for a move: the playouts are repeated until it is over",
            ),
            parameter("mean", "0 and more", "1", "Weight of the mean score in the action's value"),
            parameter("min", "0 and more", "0", "Weight of the lowest score"),
            parameter("max", "0 and more", "0", "Weight of the highest score"),
            parameter(
                "moves",
                "1 and more; 7 with four actions",
                "1",
                "Number of fixed actions with which a playout begins: all lists of this length \
                 are tried, and the first action of the best list is taken. Actions that are \
                 not legal when their turn comes are skipped",
            ),
            parameter(
                "deep_playouts",
                "more than `playouts`",
                "None",
                "Playouts for each action if one of the first `playouts` makes a larger tile \
                 than the board has",
            ),
            parameter(
                "deep_tile",
                "a tile",
                "the game's goal",
                "Lowest tile for which `deep_playouts` are made",
            ),
            parameter("threads", "1 to 256", "1", "Threads that play the playouts of one move"),
        ]
    }

    /// Returns the options, or the parameter that is wrong.
    pub fn options(&self, game: &Description) -> Result<Options, BuildError> {
        if !(1..=MAX_PLAYOUTS).contains(&self.playouts) {
            let message = format!("{} is not from 1 to {MAX_PLAYOUTS}", self.playouts);
            return Err(BuildError::of("playouts", message));
        }
        if !(1..=MAX_THREADS).contains(&self.threads) {
            let message = format!("{} is not from 1 to {MAX_THREADS}", self.threads);
            return Err(BuildError::of("threads", message));
        }
        Ok(Options {
            playouts: self.playouts,
            time: self.read_time()?,
            criterion: self.read_criterion()?,
            fixed_actions: self.read_moves(game)?,
            deep_search: self.read_deep_search(game)?,
            threads: self.threads,
        })
    }

    fn read_time(&self) -> Result<Option<Duration>, BuildError> {
        let time = self.time.as_deref().map(quantity::time_limit).transpose();
        time.map_err(|error| BuildError::of("time", error))
    }

    fn read_criterion(&self) -> Result<Criterion, BuildError> {
        let Self { mean, min, max, .. } = *self;
        for (name, weight) in [("mean", mean), ("min", min), ("max", max)] {
            // Larger weights would make an infinity of a score.
            if !(0.0..=1e6).contains(&weight) {
                let message = format!("{weight} is not a number from 0 to 1000000");
                return Err(BuildError::of(name, message));
            }
        }
        match mean + min + max > 0.0 {
            true => Ok(Criterion { mean, min, max }),
            false => {
                let message = "one of the weights `mean`, `min` and `max` must be above 0";
                Err(BuildError::of("mean", message))
            }
        }
    }

    fn read_moves(&self, game: &Description) -> Result<u32, BuildError> {
        let lists = |moves: u32| game.actions.len().checked_pow(moves - 1).unwrap_or(usize::MAX);
        if self.moves >= 1 && lists(self.moves) <= MAX_LISTS {
            return Ok(self.moves);
        }
        let most = (1..=MAX_LISTS as u32).take_while(|&moves| lists(moves) <= MAX_LISTS).last();
        let message = format!("{} is not from 1 to {}", self.moves, most.unwrap_or(1));
        Err(BuildError::of("moves", message))
    }

    fn read_deep_search(&self, game: &Description) -> Result<Option<DeepSearch>, BuildError> {
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
}
