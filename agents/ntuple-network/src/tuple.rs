//! Tuples of cells and the limits of a network.

use runner_core::BuildError;

/// Number of ranks that a cell distinguishes, the empty cell included: what four bits hold. Higher
/// ranks are read as the highest one.
pub const ALPHABET: usize = 16;

pub(crate) const MAX_RANKS: usize = 32;

/// Maximum number of cells and extra fields of a tuple: a table then has 16^8 weights.
pub(crate) const MAX_CELLS: usize = 8;

/// Cells of a board, in ascending order, that index a table of weights by their content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tuple {
    /// Cell numbers, row by row.
    pub cells: Vec<u8>,
    /// Numbers of the extra fields in the [`Geometry`](runner_core::geometry::Geometry) that also
    /// index the table.
    pub extra_fields: Vec<usize>,
    /// True if the tuple is read at its own cells only, not in every symmetry.
    pub fixed: bool,
}

impl Tuple {
    /// Returns a tuple of these cells that is read in every symmetry.
    pub(crate) fn of_cells(cells: Vec<u8>) -> Self {
        Self { cells, extra_fields: vec![], fixed: false }
    }
}

pub(crate) fn network_error(message: impl Into<String>) -> BuildError {
    BuildError::of("network", message.into())
}
