//! The table of one tuple: how the content of its cells becomes an index.

use crate::tuple::{ALPHABET, MAX_RANKS, Tuple};
use runner_core::geometry::Geometry;

/// Bits of a cell's content.
pub(crate) const CELL_BITS: u32 = 4;

#[derive(Clone, Debug)]
pub(crate) struct Table {
    /// Index of the table's first weight.
    pub start: u32,
    cells: Vec<u8>,
    digits: Vec<[u32; MAX_RANKS]>,
    extra_fields: Vec<ExtraBits>,
}

/// Where an extra field lies in the high half of a position and in an index.
#[derive(Clone, Copy, Debug)]
struct ExtraBits {
    bit: u32,
    mask: u32,
    shift: u32,
}

impl Table {
    pub fn new(tuple: &Tuple, board: &Geometry, start: u32) -> Self {
        let (mut bits, mut extra_fields) = (0, Vec::new());
        for &field in &tuple.extra_fields {
            let field = &board.extra_fields[field];
            let mask = (1 << field.bits) - 1;
            extra_fields.push(ExtraBits { bit: field.bit - 64, mask, shift: bits });
            bits += field.bits;
        }
        let digit = |cell: usize, rank: usize| {
            let rank = rank.min(ALPHABET - 1) as u32;
            (rank & 3 | (rank >> 2) << (2 * tuple.cells.len())) << (2 * cell as u32 + bits)
        };
        let digits = |cell| std::array::from_fn(|rank| digit(cell, rank));
        let digits = (0..tuple.cells.len()).map(digits).collect();
        let cells = tuple.cells.clone();
        Self { start, cells, digits, extra_fields }
    }

    /// Returns the index of the cells' content, from the rank of each cell.
    #[inline(always)]
    pub fn content_of_ranks(&self, rank: impl Fn(u8) -> usize) -> u32 {
        self.cells.iter().zip(&self.digits).map(|(&cell, digits)| digits[rank(cell)]).sum()
    }

    /// Returns what the extra fields add to an index, from the high half of a position.
    #[inline(always)]
    pub fn extra_content(&self, hi: u64) -> u32 {
        let part = |field: &ExtraBits| ((hi >> field.bit) as u32 & field.mask) << field.shift;
        self.extra_fields.iter().map(part).sum()
    }
}
