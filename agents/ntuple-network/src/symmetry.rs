//! All images of a board up to 4 x 4 under its symmetries, by arithmetic on one word.

use runner_core::geometry::Geometry;

const MAX_IMAGES: usize = 8;

/// A board of up to 4 x 4 cells in two halves: the low two bits of every cell in the low 32
/// bits, the high two in the high 32 bits. Cell k of a row is at bit 2k, row r at bit 8r.
pub type SplitBoard = u64;

/// Returns a mask that is the same in both halves.
const fn both(half: u32) -> u64 {
    (half as u64) << 32 | half as u64
}

/// Splits a board with four bits per cell.
#[inline(always)]
pub fn split(board: u64) -> SplitBoard {
    #[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
    #[allow(unsafe_code)]
    // SAFETY: the target has BMI2, see the cfg.
    return unsafe {
        use core::arch::x86_64::_pext_u64;
        _pext_u64(board, LOW_BITS) | _pext_u64(board, !LOW_BITS) << 32
    };
    #[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
    return split_portable(board);
}

/// The low two bits of every cell.
const LOW_BITS: u64 = 0x3333_3333_3333_3333;

#[inline(always)]
#[cfg_attr(all(target_arch = "x86_64", target_feature = "bmi2"), allow(dead_code))]
fn split_portable(board: u64) -> SplitBoard {
    let gather = |bits: u64| {
        let bits = (bits | bits >> 2) & 0x0f0f_0f0f_0f0f_0f0f;
        let bits = (bits | bits >> 4) & 0x00ff_00ff_00ff_00ff;
        let bits = (bits | bits >> 8) & 0x0000_ffff_0000_ffff;
        (bits | bits >> 16) & 0xffff_ffff
    };
    gather(board & LOW_BITS) | gather(board >> 2 & LOW_BITS) << 32
}

/// The symmetries of a board of up to 4 x 4 cells, on split boards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SplitSymmetries {
    /// Bits to shift a board back after its columns were reversed as if it had four.
    columns: u32,
    /// Bits to shift a board back after its rows were reversed as if it had four.
    rows: u32,
    /// True if the transposition is a symmetry.
    square: bool,
}

impl SplitSymmetries {
    /// Returns the symmetries of a board, or `None` if the board is larger or its game lists
    /// other symmetries.
    pub fn of(board: &Geometry) -> Option<Self> {
        let (rows, cols) = (board.rows, board.cols);
        if rows > 4 || cols > 4 {
            return None;
        }
        let symmetries = Self {
            columns: 2 * (4 - cols) as u32,
            rows: 8 * (4 - rows) as u32,
            square: rows == cols,
        };
        // The computed images must be those that the game lists, in any order.
        let probe = (0..board.cells())
            .fold(0u128, |bits, cell| bits | ((cell % 16) as u128) << (4 * board.slot(cell)));
        let cells_alone = Geometry { values: vec![0; 16], ..board.clone() };
        let mut ours = symmetries.all(split(probe as u64))[..symmetries.count()].to_vec();
        let mut theirs: Vec<SplitBoard> = (0..board.symmetries.len())
            .map(|k| split(cells_alone.transform(probe, k) as u64))
            .collect();
        ours.sort_unstable();
        theirs.sort_unstable();
        (ours == theirs).then_some(symmetries)
    }

    /// The symmetries of 4 x 4 boards.
    pub const FULL: Self = Self { columns: 0, rows: 0, square: true };

    pub fn is_full(self) -> bool {
        self == Self::FULL
    }

    pub fn count(self) -> usize {
        if self.square { 8 } else { 4 }
    }

    /// Returns all images. Without the transposition only the first four count, and the last
    /// four repeat them.
    #[inline(always)]
    pub fn all(self, board: SplitBoard) -> [SplitBoard; MAX_IMAGES] {
        let other = if self.square { transpose(board) } else { self.flip(board) };
        let (a, b) = (self.mirror(board), self.mirror(other));
        let [c, d, e, f] = [board, a, other, b].map(|board| self.flip(board));
        [board, a, other, b, c, d, e, f]
    }

    /// Reverses every row.
    #[inline(always)]
    fn mirror(self, board: SplitBoard) -> SplitBoard {
        const PAIRS: u64 = both(0x3333_3333);
        const FOURS: u64 = both(0x0f0f_0f0f);
        let board = (board & PAIRS) << 2 | board >> 2 & PAIRS;
        let board = (board & FOURS) << 4 | board >> 4 & FOURS;
        board >> self.columns
    }

    /// Reverses the order of the rows.
    #[inline(always)]
    fn flip(self, board: SplitBoard) -> SplitBoard {
        // A row is a byte.
        board.swap_bytes().rotate_left(32) >> self.rows
    }
}

/// Exchanges rows and columns.
#[inline(always)]
fn transpose(board: SplitBoard) -> SplitBoard {
    // Transpose blocks of 2 x 2 cells, then the board of blocks.
    let t = (board ^ board >> 6) & both(0x00cc_00cc);
    let board = board ^ t ^ t << 6;
    let t = (board ^ board >> 12) & both(0x0000_f0f0);
    board ^ t ^ t << 12
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn split_separates_low_and_high_bits_of_cells_on_any_processor(board: u64) {
            let halves = (0..16).fold(0, |halves, cell| {
                let content = board >> (4 * cell) & 15;
                halves | (content & 3) << (2 * cell) | (content >> 2) << (32 + 2 * cell)
            });
            prop_assert_eq!(split(board), halves);
            prop_assert_eq!(split_portable(board), halves);
        }
    }
}
