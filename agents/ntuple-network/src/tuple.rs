//! Tuples of cells and the limits of a network.

use runner_core::BuildError;

/// Number of ranks that a network distinguishes: 0 (empty) to 15. Higher ranks are read as 15.
pub const ALPHABET: usize = 16;

/// Maximum number of ranks of a game.
pub(crate) const MAX_RANKS: usize = 32;

/// Maximum number of cells and extra fields of a tuple: a table then has 16^8 weights.
pub(crate) const MAX_CELLS: usize = 8;

/// Cells of a board whose ranks are the index of a weight in a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tuple {
    /// Cell numbers, row by row, in ascending order.
    pub cells: Vec<u8>,
    /// Extra fields that are a part of the index too, by their numbers in the
    /// [`Geometry`](runner_core::geometry::Geometry).
    pub extra_fields: Vec<usize>,
    /// True if the tuple is read at its own cells only. A *free* tuple is read in every symmetry.
    pub fixed: bool,
}

impl Tuple {
    /// Returns the free tuple of these cells, which ascend.
    pub(crate) fn of_cells(cells: Vec<u8>) -> Self {
        Self { cells, extra_fields: vec![], fixed: false }
    }
}

pub(crate) fn network_error(message: impl Into<String>) -> BuildError {
    BuildError::of("network", message.into())
}
