//! Games that are played on a board: its shape, its symmetries, and where the
//! cells lie in the 128 bits of a position.
//!
//! A cell holds a *rank*: 0 for empty, then the game's tiles in order. The low
//! four bits of the cell in *slot* k lie at bits 4k to 4k+3 of the position.
//! A board of up to 4 x 4 has its rows four slots apart, so that it lies in the
//! first word whatever its size; a larger one five. A game with more than 16
//! ranks keeps the fifth bit of slot k at bit 100+k ([`FIFTH_BITS`]). Every
//! other bit is the game's own: the announced tile, the bag.

pub mod narrow;

use crate::Action;
use serde::{Deserialize, Serialize};

/// Where the fifth bits of the cells begin, in games with more than 16 ranks.
pub const FIFTH_BITS: u32 = 100;

/// The shape of a board.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Geometry {
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub cols: usize,
    /// The displayed value of every rank, from 0 for an empty cell on.
    pub values: Vec<u64>,
    /// The board's symmetries; the first is the identity.
    pub symmetries: Vec<Symmetry>,
    /// What else a player knows that estimates may tell apart, such as an
    /// announced tile. No symmetry changes it.
    #[serde(default)]
    pub extra_fields: Vec<ExtraField>,
    /// Pairs of ranks that merge when a push brings them together, the lower
    /// rank first. Empty if nothing merges.
    #[serde(default)]
    pub merges: Vec<(u8, u8)>,
}

/// Some bits of a position, beside its cells, that mean something to a player.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExtraField {
    /// What it is, in a word.
    pub name: String,
    /// The lowest of its bits, 64 or more.
    pub bit: u32,
    /// How many bits it has, 8 at most.
    pub bits: u32,
}

/// A symmetry of a board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Symmetry {
    /// `cells[i]` is the cell whose content comes to lie in cell `i`.
    pub cells: Vec<u8>,
    /// `actions[a]` is what action `a` becomes.
    pub actions: Vec<Action>,
}

impl Geometry {
    /// Number of cells, which are counted row by row.
    pub fn cells(&self) -> usize {
        self.rows * self.cols
    }

    /// The slot of a cell.
    #[inline]
    pub fn slot(&self, cell: usize) -> u32 {
        (cell / self.cols * stride(self.rows, self.cols) + cell % self.cols) as u32
    }

    /// Whether cells have a fifth bit.
    pub fn has_fifth_bits(&self) -> bool {
        self.values.len() > 16
    }

    /// The rank in a cell.
    pub fn rank(&self, bits: u128, cell: usize) -> u8 {
        let slot = self.slot(cell);
        let low = (bits >> (4 * slot)) as u8 & 15;
        if self.has_fifth_bits() {
            low | ((bits >> (FIFTH_BITS + slot)) as u8 & 1) << 4
        } else {
            low
        }
    }

    /// The bits with another rank in a cell.
    pub fn with_rank(&self, bits: u128, cell: usize, rank: u8) -> u128 {
        let slot = self.slot(cell);
        let mut bits = bits & !(15 << (4 * slot)) | u128::from(rank & 15) << (4 * slot);
        if self.has_fifth_bits() {
            let fifth = FIFTH_BITS + slot;
            bits = bits & !(1 << fifth) | u128::from(rank >> 4 & 1) << fifth;
        }
        bits
    }

    /// The bits with the cells as a symmetry shows them, all else unchanged.
    pub fn transform(&self, bits: u128, symmetry: usize) -> u128 {
        let from = &self.symmetries[symmetry].cells;
        (0..self.cells()).fold(bits, |out, cell| {
            self.with_rank(out, cell, self.rank(bits, usize::from(from[cell])))
        })
    }
}

/// How many slots apart the rows of such a board lie.
pub const fn stride(rows: usize, cols: usize) -> usize {
    if rows <= 4 && cols <= 4 { 4 } else { 5 }
}

/// The images of positions under the symmetries of a geometry, in bit operations
/// where the board and the position allow it.
#[derive(Clone, Debug)]
pub struct SymmetryGroup {
    geometry: Geometry,
    narrow: Option<narrow::Symmetries>,
    /// All bits of the cells of a narrow board.
    cells: u128,
}

impl SymmetryGroup {
    /// Those of a geometry.
    pub fn new(geometry: &Geometry) -> Self {
        let bits = |cell: usize| 15 << (4 * geometry.slot(cell));
        Self {
            geometry: geometry.clone(),
            narrow: narrow::Symmetries::of(geometry),
            cells: (0..geometry.cells()).fold(0, |cells, cell| cells | bits(cell)),
        }
    }

    /// How many symmetries there are.
    pub fn count(&self) -> usize {
        self.geometry.symmetries.len()
    }

    /// [`Geometry::transform`].
    #[inline]
    pub fn transform(&self, bits: u128, symmetry: usize) -> u128 {
        match &self.narrow {
            Some(narrow) if bits & !self.cells == 0 => {
                narrow.transform(bits as u64, symmetry).into()
            }
            _ => self.geometry.transform(bits, symmetry),
        }
    }

    /// The least of the images of a position, itself included.
    #[inline]
    pub fn least(&self, bits: u128) -> u128 {
        match &self.narrow {
            Some(narrow) if bits & !self.cells == 0 => narrow.least(bits as u64).into(),
            _ => {
                (1..self.count()).fold(bits, |least, k| least.min(self.geometry.transform(bits, k)))
            }
        }
    }
}
