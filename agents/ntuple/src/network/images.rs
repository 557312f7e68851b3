//! The images of a board under its symmetries, all at once.

use runner_core::board::Geometry;

/// How many images a board has at most.
pub const MAX_IMAGES: usize = 8;

/// A board of up to 4 x 4 cells in two halves: the low two bits of every cell in
/// the low word, the high two in the high one, cell k of a row at bit 2k, row r at
/// bit 8r.
pub type Split = u64;

/// A mask or shift that does the same to both halves.
const fn both(half: u32) -> u64 {
    (half as u64) << 32 | half as u64
}

/// Splits a board of four bits a cell.
#[inline(always)]
pub fn split(board: u64) -> Split {
    #[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
    #[allow(unsafe_code)]
    // SAFETY: the instruction is there, the cfg says so.
    return unsafe {
        use core::arch::x86_64::_pext_u64;
        _pext_u64(board, LOW_BITS) | _pext_u64(board, !LOW_BITS) << 32
    };
    #[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
    return split_portable(board);
}

/// The low two bits of every cell.
const LOW_BITS: u64 = 0x3333_3333_3333_3333;

/// [`split`] for any processor.
#[inline(always)]
#[cfg_attr(all(target_arch = "x86_64", target_feature = "bmi2"), allow(dead_code))]
fn split_portable(board: u64) -> Split {
    let gather = |bits: u64| {
        let bits = (bits | bits >> 2) & 0x0f0f_0f0f_0f0f_0f0f;
        let bits = (bits | bits >> 4) & 0x00ff_00ff_00ff_00ff;
        let bits = (bits | bits >> 8) & 0x0000_ffff_0000_ffff;
        (bits | bits >> 16) & 0xffff_ffff
    };
    gather(board & LOW_BITS) | gather(board >> 2 & LOW_BITS) << 32
}

/// The images of boards of up to 4 x 4 cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Narrow {
    /// How far a board lies from its place when its columns are reversed.
    columns: u32,
    /// The same for its rows.
    rows: u32,
    /// Whether rows and columns can be exchanged.
    square: bool,
}

impl Narrow {
    /// The images of such boards, if these are the symmetries of this one.
    pub fn of(board: &Geometry) -> Option<Self> {
        let (rows, cols) = (board.rows, board.cols);
        if rows > 4 || cols > 4 {
            return None;
        }
        let narrow = Self {
            columns: 2 * (4 - cols) as u32,
            rows: 8 * (4 - rows) as u32,
            square: rows == cols,
        };
        // What is computed must be what the game says, in whatever order.
        let probe = (0..board.cells())
            .fold(0u128, |bits, cell| bits | ((cell % 16) as u128) << (4 * board.slot(cell)));
        let cells_alone = Geometry { values: vec![0; 16], ..board.clone() };
        let mut ours = narrow.all(split(probe as u64))[..narrow.count()].to_vec();
        let mut theirs: Vec<Split> = (0..board.symmetries.len())
            .map(|k| split(cells_alone.transform(probe, k) as u64))
            .collect();
        ours.sort_unstable();
        theirs.sort_unstable();
        (ours == theirs).then_some(narrow)
    }

    /// Boards of 4 x 4.
    pub const FULL: Self = Self { columns: 0, rows: 0, square: true };

    /// Whether these are boards of 4 x 4, for which everything is known beforehand.
    pub fn is_full(self) -> bool {
        self == Self::FULL
    }

    /// How many images there are.
    pub fn count(self) -> usize {
        if self.square { 8 } else { 4 }
    }

    /// All images; without the exchange of rows and columns they are the first
    /// four, and the last four the same again.
    #[inline(always)]
    pub fn all(self, board: Split) -> [Split; MAX_IMAGES] {
        let other = if self.square { transpose(board) } else { self.flip(board) };
        let (a, b) = (self.mirror(board), self.mirror(other));
        let [c, d, e, f] = [board, a, other, b].map(|board| self.flip(board));
        [board, a, other, b, c, d, e, f]
    }

    /// Reverses every row.
    #[inline(always)]
    fn mirror(self, board: Split) -> Split {
        const PAIRS: u64 = both(0x3333_3333);
        const FOURS: u64 = both(0x0f0f_0f0f);
        let board = (board & PAIRS) << 2 | board >> 2 & PAIRS;
        let board = (board & FOURS) << 4 | board >> 4 & FOURS;
        board >> self.columns
    }

    /// Reverses the order of the rows.
    #[inline(always)]
    fn flip(self, board: Split) -> Split {
        // A row is a byte.
        board.swap_bytes().rotate_left(32) >> self.rows
    }
}

/// Makes rows columns.
#[inline(always)]
fn transpose(board: Split) -> Split {
    // Swap within blocks of 2 x 2 cells, then the blocks.
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
        fn a_board_is_split_alike_by_any_processor(board: u64) {
            let halves = (0..16).fold(0, |halves, cell| {
                let content = board >> (4 * cell) & 15;
                halves | (content & 3) << (2 * cell) | (content >> 2) << (32 + 2 * cell)
            });
            prop_assert_eq!(split(board), halves);
            prop_assert_eq!(split_portable(board), halves);
        }
    }
}
