//! The table of one tuple: how the content of its cells becomes an index.

use crate::symmetry::SplitBoard;
use crate::tuple::{ALPHABET, MAX_RANKS, Tuple};
use runner_core::geometry::Geometry;

/// Bits of a cell's content.
pub(crate) const CELL_BITS: u32 = 4;

#[derive(Clone, Debug)]
pub(crate) struct Table {
    /// The cells' bits in a split board.
    #[cfg_attr(not(all(target_arch = "x86_64", target_feature = "bmi2")), allow(dead_code))]
    mask: u64,
    /// Index of the table's first weight, before the permutation.
    pub start: u32,
    /// The bits of an index that are inverted, see [`memory`](crate::memory).
    pub key: u32,
    /// How the cells' bits are gathered into an index without a `pext` instruction.
    runs: Vec<Run>,
    cells: Vec<u8>,
    digits: Vec<[u32; MAX_RANKS]>,
    extra_fields: Vec<ExtraBits>,
    /// Bits of the extra fields, below those of the cells.
    extra_bits: u32,
}

/// Adjacent cells that one shift moves to their position in both halves of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    shift: u32,
    mask: u64,
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
        let mut runs: Vec<Run> = Vec::new();
        let mut mask = 0;
        for (k, &cell) in tuple.cells.iter().enumerate() {
            // Cells ascend, so a cell never lies below its position in the index.
            let target = 2 * k as u32;
            let shift = 2 * board.slot(usize::from(cell)) - target;
            let bits = 3 << target | 3 << (target + 32);
            match runs.last_mut() {
                Some(last) if last.shift == shift => last.mask |= bits,
                _ => runs.push(Run { shift, mask: bits }),
            }
            // Boards above 4 x 4 are never split, so bits shifted out do not matter.
            mask |= bits.checked_shl(shift).unwrap_or(0);
        }
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
        Self { mask, start, key: 0, runs, cells, digits, extra_fields, extra_bits: bits }
    }

    /// Returns the index of the cells' content, from a split board.
    #[inline(always)]
    pub fn content(&self, image: SplitBoard) -> u32 {
        #[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
        #[allow(unsafe_code)]
        // SAFETY: the target has BMI2, see the cfg.
        return unsafe { core::arch::x86_64::_pext_u64(image, self.mask) as u32 };
        #[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
        return self.content_portable(image);
    }

    /// [`content`](Table::content) for any processor.
    #[inline(always)]
    #[cfg_attr(all(target_arch = "x86_64", target_feature = "bmi2"), allow(dead_code))]
    fn content_portable(&self, image: SplitBoard) -> u32 {
        let halves = self.runs.iter().fold(0, |halves, run| halves | image >> run.shift & run.mask);
        (halves | halves >> (32 - 2 * self.cells.len())) as u32
    }

    /// Returns the [`content`](Table::content) of several boards.
    #[inline(always)]
    #[cfg_attr(all(target_arch = "x86_64", target_feature = "bmi2"), allow(dead_code))]
    pub fn contents<const BOARDS: usize>(&self, boards: &[SplitBoard; BOARDS]) -> [u32; BOARDS] {
        let mut halves = [0; BOARDS];
        for run in &self.runs {
            for (halves, board) in halves.iter_mut().zip(boards) {
                *halves |= board >> run.shift & run.mask;
            }
        }
        let shift = 32 - 2 * self.cells.len();
        halves.map(|halves| (halves | halves >> shift) as u32)
    }

    /// Returns the index of the cells' content, from the rank of each cell.
    #[inline(always)]
    pub fn content_of_ranks(&self, rank: impl Fn(u8) -> usize) -> u32 {
        self.cells.iter().zip(&self.digits).map(|(&cell, digits)| digits[rank(cell)]).sum()
    }

    /// Adds the extra fields, from the high half of a position, to the index of the cells' content.
    #[inline(always)]
    pub fn whole_content(&self, content: u32, hi: u64) -> u32 {
        content << self.extra_bits | self.extra_content(hi)
    }

    /// Returns what the extra fields add to an index, from the high half of a position.
    #[inline(always)]
    pub fn extra_content(&self, hi: u64) -> u32 {
        let part = |field: &ExtraBits| ((hi >> field.bit) as u32 & field.mask) << field.shift;
        self.extra_fields.iter().map(part).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A board of 4 x 4 without symmetries.
    fn board() -> Geometry {
        Geometry { rows: 4, cols: 4, values: vec![0; 16], ..Geometry::default() }
    }

    proptest! {
        #[test]
        fn portable_content_equals_content(
            cells in prop::sample::subsequence((0..16).collect::<Vec<u8>>(), 1..=8),
            image: u64,
        ) {
            let table = Table::new(&Tuple::of_cells(cells), &board(), 0);
            prop_assert_eq!(table.content(image), table.content_portable(image));
            let images = [image, !image];
            prop_assert_eq!(table.contents(&images), images.map(|image| table.content(image)));
        }
    }
}
