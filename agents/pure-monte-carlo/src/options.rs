//! The options of the playouts.

use std::time::Duration;

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Options {
    /// Number of playouts of each action, or of each list of actions.
    pub playouts: u64,
    pub time: Option<Duration>,
    /// How the scores of an action make its value.
    pub criterion: Criterion,
    /// Number of fixed actions with which a playout begins; at least 1.
    pub fixed_actions: u32,
    /// More playouts near a new tile.
    pub deep_search: Option<DeepSearch>,
    /// Number of threads that play the playouts of one decision.
    pub threads: usize,
}

impl Options {
    /// Returns the options with this number of playouts of each action, whose value is their
    /// mean score.
    pub fn playouts(playouts: u64) -> Self {
        Self {
            playouts,
            time: None,
            criterion: Criterion { mean: 1.0, min: 0.0, max: 0.0 },
            fixed_actions: 1,
            deep_search: None,
            threads: 1,
        }
    }
}

/// The weights of the mean, lowest and highest score in the value of an action.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Criterion {
    pub mean: f64,
    /// Weight of the lowest score.
    pub min: f64,
    /// Weight of the highest score.
    pub max: f64,
}

/// More playouts for a decision in which one of the first makes a greater tile than the
/// board has.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct DeepSearch {
    /// Number of playouts of each action, the first ones included.
    pub playouts: u64,
    pub tile: u64,
}
