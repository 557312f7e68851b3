//! The totals of games with random actions.

use crate::impl_layout;

/// The totals of a batch of random games.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
#[repr(C)]
pub struct Playouts {
    /// Number of games, all played to their end.
    pub games: u64,
    /// Number of moves in all games.
    pub moves: u64,
    /// The sum of the scores, counted from the given state.
    pub score: f64,
}

impl_layout!(Playouts { games: u64, moves: u64, score: f64 });
