//! The symmetries of a rectangle of cells, as lists and as bit operations.
//!
//! Symmetry number k: cells are mirrored at the main diagonal if k has bit 2 (on
//! a square only), then left to right if it has bit 0, then top to bottom if it
//! has bit 1.

use crate::Direction;
use runner_core::board::Symmetry;
use runner_core::rows::transpose;

const LEFT_RIGHT: usize = 1;
const TOP_BOTTOM: usize = 2;
const DIAGONAL: usize = 4;

/// All symmetries of a board, the identity first: eight of a square, four of
/// another rectangle.
pub fn symmetries(rows: usize, cols: usize) -> Vec<Symmetry> {
    let count = if rows == cols { 8 } else { 4 };
    (0..count).map(|k| symmetry(rows, cols, k)).collect()
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

/// A narrow board's first word as symmetry number `k` shows it.
#[inline]
pub(crate) fn transform_narrow(rows: usize, cols: usize, board: u64, k: usize) -> u64 {
    let mut board = if k & DIAGONAL != 0 { transpose(board) } else { board };
    // Mirrors reverse all four slots of a line; a shorter one is then moved back.
    if k & LEFT_RIGHT != 0 {
        board = (board & 0x0f0f_0f0f_0f0f_0f0f) << 4 | board >> 4 & 0x0f0f_0f0f_0f0f_0f0f;
        board = (board & 0x00ff_00ff_00ff_00ff) << 8 | board >> 8 & 0x00ff_00ff_00ff_00ff;
        board >>= 4 * (4 - cols);
    }
    if k & TOP_BOTTOM != 0 {
        board = (board & 0x0000_ffff_0000_ffff) << 16 | board >> 16 & 0x0000_ffff_0000_ffff;
        board = board.rotate_left(32) >> (16 * (4 - rows));
    }
    board
}
