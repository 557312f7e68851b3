//! Features of a whole board. No symmetry changes them, so a position reads one weight of each.

use crate::tuple::{ALPHABET, MAX_RANKS, network_error};
use runner_core::BuildError;
use runner_core::geometry::Geometry;
use std::ops::Range;

/// A property of a board that is the index of a weight in a table. It depends on the ranks that the
/// network distinguishes: higher ones count as 15, or as the cap of the stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// The numbers of tiles of this rank and of each higher rank, each up to `MAX_COUNT`.
    Large(u8),
    /// The number of empty cells.
    Empty,
    /// The number of different tiles.
    Distinct,
    /// The number of pairs of adjacent cells that merge when they are pushed together.
    Pairs,
    /// The number of pairs of adjacent cells in which one tile is twice the other.
    Neighbours,
}

/// Maximum count of equal tiles in [`Feature::Large`]: equal tiles merge, so more are rare.
pub const MAX_COUNT: usize = 4;

/// Maximum number of weights of a feature's table.
const MAX_WEIGHTS: usize = 1 << 24;

/// The text of [`Feature::Large`] before its tile.
const LARGE: &str = "large:";

/// The features without a tile.
const PLAIN: [(Feature, &str); 4] = [
    (Feature::Empty, "empty"),
    (Feature::Distinct, "distinct"),
    (Feature::Pairs, "pairs"),
    (Feature::Neighbours, "neighbours"),
];

/// An example of each feature, for messages.
pub(crate) const EXAMPLES: [&str; 5] = ["large:2048", "empty", "distinct", "pairs", "neighbours"];

impl Feature {
    /// Parses a feature. Returns `None` if the word does not begin with the name of one.
    pub(crate) fn named(word: &str, board: &Geometry) -> Result<Option<Self>, BuildError> {
        if let Some(tile) = word.strip_prefix(LARGE) {
            return large(tile, board).map(Some);
        }
        if let Some(&(feature, _)) = PLAIN.iter().find(|(_, name)| *name == word) {
            return Ok(Some(feature));
        }
        let name = word.split(['+', '!', ':']).next();
        match EXAMPLES.iter().find(|example| example.split(':').next() == name) {
            Some(example) => Err(network_error(format!(
                "`{word}` is not a feature; write `{example}`, without fields and `!`"
            ))),
            None => Ok(None),
        }
    }

    pub(crate) fn text(self, board: &Geometry) -> String {
        match self {
            Self::Large(least) => format!("{LARGE}{}", board.values[usize::from(least)]),
            _ => PLAIN.into_iter().find(|(known, _)| *known == self).expect("plain").1.to_owned(),
        }
    }

    pub(crate) fn table_size(self, board: &Geometry) -> u64 {
        let most = match self {
            Self::Large(least) => {
                let ranks = large_ranks(least, board).len() as u32;
                return (MAX_COUNT as u64 + 1).saturating_pow(ranks);
            }
            Self::Empty => board.cells(),
            Self::Distinct => board.cells().min(ALPHABET.min(board.values.len()) - 1),
            Self::Pairs | Self::Neighbours => adjacent(board).count(),
        };
        most as u64 + 1
    }

    pub(crate) fn check(self, board: &Geometry) -> Result<(), BuildError> {
        let word = self.text(board);
        match self {
            Self::Large(least) if usize::from(least) >= ALPHABET => {
                let largest = board.values[ALPHABET - 1];
                let message =
                    format!("`{word}`: a network reads tiles above {largest} as {largest}");
                Err(network_error(message))
            }
            _ if self.table_size(board) > MAX_WEIGHTS as u64 => Err(network_error(format!(
                "`{word}` has more than {MAX_WEIGHTS} weights; name a larger tile"
            ))),
            _ => Ok(()),
        }
    }
}

pub(crate) fn large_ranks(least: u8, board: &Geometry) -> Range<usize> {
    least.into()..ALPHABET.min(board.values.len())
}

/// Returns [`Feature::Large`] from the tile with this value on.
fn large(tile: &str, board: &Geometry) -> Result<Feature, BuildError> {
    let value = tile.parse::<u64>().ok().filter(|&value| value > 0);
    let rank = value.and_then(|value| board.values.iter().position(|&known| known == value));
    rank.map(|rank| Feature::Large(rank as u8)).ok_or_else(|| {
        let largest = board.values.last().copied().unwrap_or(0);
        network_error(format!(
            "`{LARGE}{tile}`: `{tile}` is not a tile of the game; its tiles go up to {largest}"
        ))
    })
}

/// Returns each pair of adjacent cells once.
pub(crate) fn adjacent(board: &Geometry) -> impl Iterator<Item = [usize; 2]> {
    let (rows, cols) = (board.rows, board.cols);
    let beside = move |cell: usize| (cell % cols + 1 < cols).then_some([cell, cell + 1]);
    let below = move |cell: usize| (cell / cols + 1 < rows).then_some([cell, cell + cols]);
    (0..rows * cols).flat_map(move |cell| beside(cell).into_iter().chain(below(cell)))
}

/// A relation of ranks: bit b of element a is set if rank a is related to rank b.
pub(crate) type Relation = [u32; MAX_RANKS];

pub(crate) fn relation(board: &Geometry, related: impl Fn(u8, u8) -> bool) -> Relation {
    let ranks = board.values.len().min(MAX_RANKS) as u8;
    let mut relation = [0; MAX_RANKS];
    for (a, row) in (0..ranks).zip(&mut relation) {
        for b in 0..ranks {
            *row |= u32::from(related(a, b)) << b;
        }
    }
    relation
}

pub(crate) fn is_double(board: &Geometry, a: u8, b: u8) -> bool {
    let [a, b] = [a, b].map(|rank| board.values[usize::from(rank)]);
    a > 0 && b > 0 && (a == 2 * b || b == 2 * a)
}
