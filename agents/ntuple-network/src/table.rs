//! The table of one tuple: how the ranks in its cells become an index, one cell at a time.

use crate::tuple::{ALPHABET, MAX_RANKS, Tuple};
use runner_core::geometry::{ExtraField, Geometry};

/// Bits of a rank in a position, without the fifth bit.
pub(crate) const CELL_BITS: u32 = 4;

#[derive(Clone, Debug)]
pub(crate) struct Table {
    /// Index of the table's first weight.
    pub start: u32,
    cells: Vec<u8>,
    /// For each cell, the bits of the index for each rank.
    bits_of_rank: Vec<[u32; MAX_RANKS]>,
    /// The extra fields, each with the position of its lowest bit in an index.
    extra_fields: Vec<(FieldBits, u32)>,
}

/// Where an extra field lies in the second word of a position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FieldBits {
    bit: u32,
    mask: u32,
}

impl FieldBits {
    pub fn new(field: &ExtraField) -> Self {
        Self { bit: field.bit - 64, mask: (1 << field.bits) - 1 }
    }

    /// Returns the value of the field, from the second word of a position.
    #[inline(always)]
    pub fn value(self, hi: u64) -> u32 {
        (hi >> self.bit) as u32 & self.mask
    }
}

impl Table {
    pub fn new(tuple: &Tuple, board: &Geometry, start: u32) -> Self {
        let (mut field_bits, mut extra_fields) = (0, Vec::new());
        for &field in &tuple.extra_fields {
            let field = &board.extra_fields[field];
            extra_fields.push((FieldBits::new(field), field_bits));
            field_bits += field.bits;
        }
        let mut bits_of_rank = Vec::new();
        for cell in 0..tuple.cells.len() {
            bits_of_rank.push(std::array::from_fn(|rank| {
                let rank = rank.min(ALPHABET - 1) as u32;
                let halves = rank & 3 | (rank >> 2) << (2 * tuple.cells.len());
                halves << (2 * cell as u32 + field_bits)
            }));
        }
        Self { start, cells: tuple.cells.clone(), bits_of_rank, extra_fields }
    }

    /// Returns the bits of all cells in an index. `rank` returns the rank of a cell.
    #[inline(always)]
    pub fn bits_of_cells(&self, rank: impl Fn(u8) -> usize) -> u32 {
        self.cells.iter().zip(&self.bits_of_rank).map(|(&cell, bits)| bits[rank(cell)]).sum()
    }

    /// Returns the bits of the extra fields in an index. `hi` is the second word of the position.
    #[inline(always)]
    pub fn bits_of_fields(&self, hi: u64) -> u32 {
        self.extra_fields.iter().map(|(field, shift)| field.value(hi) << shift).sum()
    }
}
