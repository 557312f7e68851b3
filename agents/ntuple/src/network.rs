//! Which cells a network looks at: tuples of cells, each with a table of its own,
//! read once for every symmetry of the board.

mod images;
mod lookup;
mod presets;
mod text;

pub use lookup::{Lookup, MAX_TUPLES, Place};

use runner_core::BuildError;
use runner_core::board::Geometry;

/// A cell's content takes this many bits of an index.
pub const BITS: u32 = 4;

/// Ranks above this one are taken for it.
pub const TOP_RANK: u8 = 15;

/// No tuple has more cells (and marks): its table alone would have 16^8 weights.
const MAX_CELLS: usize = 8;

/// Some cells of a board, in ascending order, with a table of weights for all
/// that can lie in them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tuple {
    /// The cells, counted row by row.
    pub cells: Vec<u8>,
    /// What else its table tells apart: marks of the
    /// [`Geometry`], by number.
    pub marks: Vec<usize>,
    /// Whether it is read where it stands only, and not in every symmetry.
    pub fixed: bool,
}

/// The tuples of a network on one board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network {
    tuples: Vec<Tuple>,
    text: String,
}

impl Network {
    /// Reads a network's name, or its tuples, for a board:
    ///
    /// - a preset: `4x6`, `8x6`, `17x4`;
    /// - shapes, joined by `-`: `42-33` is every place of a row of four above a row
    ///   of two, and of two rows of three, that symmetry tells apart;
    /// - tuples: the cells of a board of at most 16 as hexadecimal digits (`012345`),
    ///   or, of any board, as numbers in parentheses (`(0,1,5,6)`);
    /// - several of these with spaces between.
    ///
    /// A tuple followed by `+NAME` also tells apart what the game says by that
    /// name (the announced tile of Threes: `0123+next`); one followed by `!` is
    /// read where it stands only.
    pub fn read(text: &str, board: &Geometry) -> Result<Self, BuildError> {
        let tuples = text::read(text, board)?;
        Ok(Self { text: text::write(&tuples, board), tuples })
    }

    /// The network for players who name none: the field's four 6-tuples where
    /// they fit, and on the smallest boards the shapes that do, the whole board
    /// among them.
    pub fn default_text(board: &Geometry) -> String {
        presets::default_text(board)
    }

    /// The tuples.
    pub fn tuples(&self) -> &[Tuple] {
        &self.tuples
    }

    /// The tuples as text: the same for the same network, however it was named.
    pub fn text(&self) -> &str {
        &self.text
    }
}
