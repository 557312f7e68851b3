//! The symmetries of a rectangle of cells as lists, and those of a wide board as bit
//! operations. They have the same numbers as those of a narrow board in
//! [`runner_board::narrow`].

use crate::{Direction, tables};
use runner_board::narrow::{DIAGONAL, LEFT_RIGHT, TOP_BOTTOM};
use runner_core::geometry::Symmetry;

/// The first column and the first row of a wide board.
const WIDE_COLUMN: u128 = 0xf_0000_f000_0f00_00f0_000f;
const WIDE_ROW: u128 = 0xf_ffff;

/// Returns all symmetries of a board, the identity first: eight for a square, four for any
/// other rectangle.
pub fn symmetries(rows: usize, cols: usize) -> Vec<Symmetry> {
    let count = if rows == cols { 8 } else { 4 };
    (0..count).map(|k| symmetry(rows, cols, k)).collect()
}

/// Returns the symmetries that map a set of cells to itself, with their numbers among all
/// symmetries.
pub(crate) fn that_keep(rows: usize, cols: usize, set: &[usize]) -> (Vec<usize>, Vec<Symmetry>) {
    assert!(set.iter().all(|&cell| cell < rows * cols), "{set:?} are not cells of the board");
    let keeps = |symmetry: &Symmetry| {
        set.iter().all(|&cell| set.contains(&usize::from(symmetry.cells[cell])))
    };
    symmetries(rows, cols).into_iter().enumerate().filter(|(_, s)| keeps(s)).unzip()
}

fn symmetry(rows: usize, cols: usize, k: usize) -> Symmetry {
    let source = |cell: usize| {
        let (mut row, mut col) = (cell / cols, cell % cols);
        if k & LEFT_RIGHT != 0 {
            col = cols - 1 - col;
        }
        if k & TOP_BOTTOM != 0 {
            row = rows - 1 - row;
        }
        if k & DIAGONAL != 0 {
            (row, col) = (col, row);
        }
        (row * cols + col) as u8
    };
    let becomes = |direction| {
        use Direction::{Down, Left, Right, Up};
        let direction = match direction {
            _ if k & DIAGONAL == 0 => direction,
            Up => Left,
            Left => Up,
            Right => Down,
            Down => Right,
        };
        match direction {
            Left | Right if k & LEFT_RIGHT == 0 => direction,
            Up | Down if k & TOP_BOTTOM == 0 => direction,
            Up => Down,
            Down => Up,
            Left => Right,
            Right => Left,
        }
    };
    Symmetry {
        cells: (0..rows * cols).map(source).collect(),
        actions: Direction::ALL.map(|d| becomes(d).action()).to_vec(),
    }
}

#[inline]
pub(crate) fn transform_wide(rows: usize, cols: usize, board: u128, k: usize) -> u128 {
    let mut board = if k & DIAGONAL != 0 { tables::transpose(board) } else { board };
    // A mirror swaps the outer two lines and the inner two of five.
    let mirror = |board: u128, first: u128, slots: u32| {
        let step = 4 * slots;
        let (outer, inner) = (first, first << step);
        (board & outer) << (4 * step)
            | (board & inner) << (2 * step)
            | board & first << (2 * step)
            | board >> (2 * step) & inner
            | board >> (4 * step) & outer
    };
    if k & LEFT_RIGHT != 0 {
        board = mirror(board, WIDE_COLUMN, 1) >> (4 * (5 - cols));
    }
    if k & TOP_BOTTOM != 0 {
        board = mirror(board, WIDE_ROW, 5) >> (20 * (5 - rows));
    }
    board
}
