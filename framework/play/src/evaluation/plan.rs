//! The plan of an evaluation and its result.

use crate::faults::Faults;
use crate::threads::Threads;
use runner_core::{Seed, State};
use runner_plugin::LoadedGame;
use runner_stats::Results;
use std::time::Duration;

/// The games of an evaluation.
pub struct Plan<'a> {
    /// The rules.
    pub game: &'a LoadedGame,
    /// Number of games.
    pub games: u64,
    /// Seed of the evaluation: game `k` draws from its stream `k`.
    pub seed: Seed,
    /// The threads to play on.
    pub threads: &'a Threads,
    /// No game starts after this time. Games that still run after twice this time are
    /// abandoned.
    pub time: Option<Duration>,
    /// What ends a game early.
    pub limits: Limits,
    /// Positions of which each game draws its first one. If empty, games begin as the rules say.
    pub starts: &'a [State],
}

/// Limits that end a game before the rules do.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// Maximum number of moves of a game.
    pub moves: Option<u64>,
    /// No move of a game starts after this time.
    pub time: Option<Duration>,
}

/// The result of an evaluation.
pub struct Played {
    /// The games that ended.
    pub results: Results,
    /// The faults that ended games; these are not in `results`.
    pub faults: Faults,
    /// How long the evaluation took.
    pub elapsed: Duration,
    /// Whether the user interrupted it.
    pub interrupted: bool,
    /// Number of games that were abandoned because they ran past twice the time limit.
    pub given_up: u64,
}
