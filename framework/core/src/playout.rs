//! The results of games with random actions.

use crate::State;

/// The result of one game with random actions.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
#[repr(C)]
pub struct Playout {
    /// The terminal position.
    pub last: State,
    /// The score, counted from the given state.
    pub score: f64,
    /// The number of moves.
    pub moves: u64,
}

/// The totals of several games with random actions.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct PlayoutTotals {
    /// Number of games, all played to their end.
    pub games: u64,
    /// Number of moves in all games.
    pub moves: u64,
    /// The sum of the scores, counted from the given state.
    pub score: f64,
}
