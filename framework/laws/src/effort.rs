//! The amount of work of a check, and the summary of the work done.

use runner_core::Seed;
use std::fmt;

/// Amount of work of a check. The default takes about a second for 2048.
#[derive(Clone, Debug, PartialEq)]
pub struct Effort {
    /// Seed of all random choices of the check.
    pub seed: Seed,
    /// Number of games played to find positions.
    pub games: u64,
    /// Maximum number of moves per game.
    pub moves: u64,
    /// Maximum number of distinct positions.
    pub positions: usize,
    /// Total number of random words for testing chance.
    pub words: u64,
    /// Number of corrupted texts.
    pub texts: u64,
}

impl Default for Effort {
    fn default() -> Self {
        Self {
            seed: Seed(2048),
            games: 120,
            moves: 10_000,
            positions: 1_200,
            words: 3_000_000,
            texts: 30_000,
        }
    }
}

/// Counts of the work that a successful check has done.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CheckSummary {
    /// Number of games played to find positions.
    pub games: u64,
    /// Number of these that ended within the limit of moves.
    pub ended: u64,
    /// Number of distinct positions.
    pub positions: u64,
    /// Number of these that are terminal.
    pub terminal: u64,
    /// Number of distinct afterstates.
    pub afterstates: u64,
    /// Number of random words for testing chance.
    pub words: u64,
    /// Number of corrupted texts.
    pub texts: u64,
    /// Number of symmetries, including the identity.
    pub symmetries: u64,
}

impl fmt::Display for CheckSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { games, ended, positions, terminal, afterstates, words, texts, symmetries } =
            self;
        write!(
            f,
            "{positions} positions ({terminal} terminal) of {games} games ({ended} ended), \
             {afterstates} afterstates, {words} random words, {texts} corrupted texts, \
             {symmetries} symmetries"
        )
    }
}
