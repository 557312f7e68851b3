//! A value told as tables: what each line of a board is worth by itself. Whoever holds
//! them, and the game's [`RowTables`](crate::rows::RowTables), estimates without calling
//! the value, and knows what a tile changes that enters one row and one column.

use crate::rows::{ROWS, transpose};
use std::sync::Arc;

/// A value of boards of up to 4 x 4 that is the sum of what their rows and columns are
/// worth.
#[derive(Clone, Debug, PartialEq)]
pub struct LineValues {
    across: Arc<[f32; ROWS]>,
    down: Arc<[f32; ROWS]>,
    absent: f32,
    least: f32,
}

impl LineValues {
    /// What each row and each column of a board with `rows` x `cols` cells is worth.
    /// A board is worth the sum of them, and no less than `least`.
    ///
    /// # Panics
    ///
    /// If there are more than four rows or columns.
    pub fn new(
        rows: usize,
        cols: usize,
        across: Arc<[f32; ROWS]>,
        down: Arc<[f32; ROWS]>,
        least: f32,
    ) -> Self {
        assert!(rows <= 4 && cols <= 4);
        let absent = (4 - rows) as f32 * across[0] + (4 - cols) as f32 * down[0];
        Self::from_tables(across, down, absent, least)
    }

    /// The same, where it is known what `absent` lines, which are empty, would add: four
    /// rows and four columns are looked up, whatever the size of the board.
    pub fn from_tables(
        across: Arc<[f32; ROWS]>,
        down: Arc<[f32; ROWS]>,
        absent: f32,
        least: f32,
    ) -> Self {
        Self { across, down, absent, least }
    }

    /// The tables for rows and for columns.
    pub fn tables(&self) -> (&Arc<[f32; ROWS]>, &Arc<[f32; ROWS]>) {
        (&self.across, &self.down)
    }

    /// What lines add that the board does not have.
    pub fn absent(&self) -> f32 {
        self.absent
    }

    /// No board is worth less.
    pub fn least(&self) -> f32 {
        self.least
    }

    /// What a board is worth that has no rank above 15.
    #[inline(always)]
    pub fn of(&self, board: u64) -> f32 {
        self.total(four(&self.across, board), four(&self.down, transpose(board)))
    }

    /// The same, of the sums for its rows and for its columns.
    #[inline(always)]
    pub fn total(&self, rows: f32, columns: f32) -> f32 {
        (rows + columns - self.absent).max(self.least)
    }
}

/// What four lines are worth: always added in this order, so that every way to come to a
/// sum comes to the same.
#[inline(always)]
pub fn four(table: &[f32; ROWS], lines: u64) -> f32 {
    let [a, b, c, d] = [0, 16, 32, 48].map(|shift| table[(lines >> shift & 0xffff) as usize]);
    (a + b) + (c + d)
}

/// A row as the first cells of four columns.
#[inline(always)]
pub fn spread(row: u16) -> u64 {
    #[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
    #[allow(unsafe_code)]
    // SAFETY: the instruction is there, the cfg says so.
    return unsafe { core::arch::x86_64::_pdep_u64(u64::from(row), FIRST_CELLS) };
    #[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
    return spread_portable(row);
}

/// [`spread`] for any processor.
#[inline(always)]
pub fn spread_portable(row: u16) -> u64 {
    let row = u64::from(row);
    (row & 0xf) | (row & 0xf0) << 12 | (row & 0xf00) << 24 | (row & 0xf000) << 36
}

/// The first cell of each line.
pub const FIRST_CELLS: u64 = 0x000f_000f_000f_000f;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    #[test]
    fn spreading_a_row_is_transposing_a_board_of_it() {
        for row in 0..=u16::MAX {
            assert_eq!(spread(row), transpose(u64::from(row)));
            assert_eq!(spread_portable(row), transpose(u64::from(row)));
        }
    }

    #[test]
    fn a_small_board_has_only_its_own_lines() {
        // Each line is worth its content, an empty one 5.
        let table = |cells: usize| -> Arc<[f32; ROWS]> {
            let worth = |line: usize| match line >> (4 * cells) {
                0 => line as f32 + 5.0,
                _ => f32::NAN,
            };
            (0..ROWS).map(worth).collect::<Box<[f32]>>().try_into().map(Box::into).unwrap()
        };
        let worths = LineValues::new(2, 3, table(3), table(2), 100.0);
        let mut random = Random::from_word(1);
        for _ in 0..1000 {
            let [row, other] = [0; 2].map(|_| u64::from(random.below(1 << 12)));
            let board = row | other << 16;
            let columns = transpose(board);
            let columns: u64 = (0..3).map(|col| columns >> (16 * col) & 0xffff).sum();
            let sum = (row + other + columns + 25) as f32;
            assert_eq!(worths.of(board), sum.max(100.0));
        }
    }
}
