//! The symmetries of a rectangle of cells, as lists, and of a wide board as bit
//! operations. They are numbered as in [`runner_core::board::narrow`], where those
//! of a narrow board are.

use crate::{Direction, tables};
use runner_core::board::Symmetry;
use runner_core::board::narrow::{DIAGONAL, LEFT_RIGHT, TOP_BOTTOM};

/// One cell of every row of a wide board, and a whole row.
const WIDE_COLUMN: u128 = 0xf_0000_f000_0f00_00f0_000f;
const WIDE_ROW: u128 = 0xf_ffff;

/// All symmetries of a board, the identity first: eight of a square, four of
/// another rectangle.
pub fn symmetries(rows: usize, cols: usize) -> Vec<Symmetry> {
    let count = if rows == cols { 8 } else { 4 };
    (0..count).map(|k| symmetry(rows, cols, k)).collect()
}

/// Those that map a set of cells to itself, which are a group as well, and the
/// number of each among all.
pub(crate) fn keeping(rows: usize, cols: usize, set: &[usize]) -> (Vec<usize>, Vec<Symmetry>) {
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

/// A wide board's cells as symmetry number `k` shows them.
#[inline]
pub(crate) fn transform_wide(rows: usize, cols: usize, board: u128, k: usize) -> u128 {
    let mut board = if k & DIAGONAL != 0 { tables::transpose(board) } else { board };
    // Mirrors swap the outer two of five, the inner two, and leave the middle.
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
