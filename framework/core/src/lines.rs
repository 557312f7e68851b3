//! A value as tables: the value of a board is the sum of the values of its lines. Code
//! that holds these tables and the game's [`RowTables`](crate::rows::RowTables) evaluates
//! without calling the value, and updates only one row and one column when a tile enters.

use crate::slots::{ROWS, transpose};
use std::sync::Arc;

/// A value of boards of up to 4 x 4 cells that is the sum of the values of their rows
/// and columns. It reads cells only. For boards without ranks above 15 it agrees with
/// [`evaluate`](crate::Value::evaluate) of the value that offers it; it cannot be used for others.
#[derive(Clone, Debug, PartialEq)]
pub struct LineValues {
    /// The value of each row, by the 16 bits of its four slots.
    across: Arc<[f32; ROWS]>,
    /// The value of each column.
    down: Arc<[f32; ROWS]>,
    /// A constant for the lines that the board lacks, in a sum over four rows and four columns.
    absent: f32,
    /// The smallest value of a board: smaller sums are raised to it.
    least: f32,
}

impl LineValues {
    /// Creates the value from the values of all rows (`across`) and columns (`down`) of a
    /// board with `rows` x `cols` cells. The value of a board is their sum, at least
    /// `least`.
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

    /// Creates the value from its tables. Boards of all sizes are looked up as four rows and four
    /// columns; `absent` is the sum of the values of the empty lines that the board lacks.
    pub fn from_tables(
        across: Arc<[f32; ROWS]>,
        down: Arc<[f32; ROWS]>,
        absent: f32,
        least: f32,
    ) -> Self {
        Self { across, down, absent, least }
    }

    /// Returns the table of rows and that of columns.
    pub fn tables(&self) -> (&Arc<[f32; ROWS]>, &Arc<[f32; ROWS]>) {
        (&self.across, &self.down)
    }

    /// Returns the sum of the values of the lines that the board lacks.
    pub fn absent(&self) -> f32 {
        self.absent
    }

    pub fn least(&self) -> f32 {
        self.least
    }

    /// Returns the value of a board without ranks above 15.
    #[inline(always)]
    pub fn of(&self, board: u64) -> f32 {
        self.total(four(&self.across, board), four(&self.down, transpose(board)))
    }

    /// Returns the value of a board from the sums of its rows and of its columns.
    #[inline(always)]
    pub fn total(&self, rows: f32, columns: f32) -> f32 {
        (rows + columns - self.absent).max(self.least)
    }
}

/// Returns the sum of the values of the four lines of a board, which are its rows, or its columns
/// if it is transposed. The order of the additions is fixed, so that every caller gets the same
/// sum.
#[inline(always)]
pub fn four(table: &[f32; ROWS], lines: u64) -> f32 {
    let [a, b, c, d] = [0, 16, 32, 48].map(|shift| table[(lines >> shift & 0xffff) as usize]);
    (a + b) + (c + d)
}

/// Returns the board whose first column has the cells of this row: the transpose of the row.
#[inline(always)]
pub fn spread(row: u16) -> u64 {
    #[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
    #[allow(unsafe_code)]
    // SAFETY: the cfg says that the processor has this instruction.
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

/// The bits of the first cell of each line.
pub const FIRST_CELLS: u64 = 0x000f_000f_000f_000f;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    #[test]
    fn spread_equals_the_transpose_of_a_board_with_one_row() {
        for row in 0..=u16::MAX {
            assert_eq!(spread(row), transpose(u64::from(row)));
            assert_eq!(spread_portable(row), transpose(u64::from(row)));
        }
    }

    #[test]
    fn the_value_of_a_small_board_counts_only_its_own_lines() {
        // The value of a line is its content plus 5.
        let table = |cells: usize| {
            let value = |line: usize| match line >> (4 * cells) {
                0 => line as f32 + 5.0,
                _ => f32::NAN,
            };
            let values: Arc<[f32]> = (0..ROWS).map(value).collect();
            values.try_into().unwrap()
        };
        let lines = LineValues::new(2, 3, table(3), table(2), 100.0);
        let mut random = Random::from_word(1);
        for _ in 0..1000 {
            let [row, other] = [0; 2].map(|_| u64::from(random.below(1 << 12)));
            let board = row | other << 16;
            let columns: u64 = (0..3).map(|col| transpose(board) >> (16 * col) & 0xffff).sum();
            let sum = (row + other + columns + 25) as f32;
            assert_eq!(lines.of(board), sum.max(100.0));
        }
    }
}
