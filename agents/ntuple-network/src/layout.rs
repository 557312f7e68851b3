//! The image of a tuple that determines the order of the cells in its table.
//!
//! A table is read for all images of a position, so a tuple and its images give the same
//! values. They differ in cache lines: the contents of the first two cells share a line while
//! their tiles are small, and the inner cells change most often. With the inner cells first, a
//! game reads up to 20% fewer cache lines, and play and training of 2048 are 10 to 20% faster.

use runner_core::geometry::{Geometry, Symmetry};
use std::cmp::Reverse;

/// Returns, for each cell of a tuple, the cell it is mapped to in the image whose first two
/// cells have the most neighbours.
pub fn image(cells: &[u8], board: &Geometry) -> Vec<u8> {
    let image = |symmetry: &Symmetry| -> Vec<u8> {
        cells.iter().map(|&cell| symmetry.cells[usize::from(cell)]).collect()
    };
    let inner_first = |image: &Vec<u8>| {
        let mut ascending = image.clone();
        ascending.sort_unstable();
        let first: Vec<usize> =
            ascending.iter().take(2).map(|&cell| neighbours(cell.into(), board)).collect();
        // The result must not depend on the order of the game's symmetries.
        (first.iter().sum::<usize>(), first, Reverse((ascending, image.clone())))
    };
    board.symmetries.iter().map(image).max_by_key(inner_first).unwrap_or_else(|| cells.to_vec())
}

/// Returns true if the board has at most 4 x 4 cells and its symmetries are all those of its shape.
pub fn has_all_symmetries(board: &Geometry) -> bool {
    let (rows, cols) = (board.rows, board.cols);
    if rows > 4 || cols > 4 {
        return false;
    }
    let mut expected = Vec::new();
    for [flips_rows, flips_cols] in [[false, false], [false, true], [true, false], [true, true]] {
        let row = |row: usize| if flips_rows { rows - 1 - row } else { row };
        let col = |col: usize| if flips_cols { cols - 1 - col } else { col };
        let cell = |at: usize| (row(at / cols) * cols + col(at % cols)) as u8;
        let image: Vec<u8> = (0..rows * cols).map(cell).collect();
        if rows == cols {
            let transposed = (0..rows * cols).map(|at| image[at % cols * cols + at / cols]);
            expected.push(transposed.collect());
        }
        expected.push(image);
    }
    let mut found: Vec<_> =
        board.symmetries.iter().map(|symmetry| symmetry.cells.clone()).collect();
    expected.sort_unstable();
    found.sort_unstable();
    found == expected
}

pub fn neighbours(cell: usize, board: &Geometry) -> usize {
    let along = |at: usize, length: usize| usize::from(at > 0) + usize::from(at + 1 < length);
    along(cell / board.cols, board.rows) + along(cell % board.cols, board.cols)
}

#[cfg(test)]
mod tests {
    use super::*;
    use runner_core::Game;

    #[test]
    fn inner_cells_come_first() {
        let game = game_2048::Game2048::new(Default::default()).unwrap();
        let board = game.description().geometry.as_ref().unwrap();
        for (cells, first_two) in [
            (&[0u8, 1, 2, 3, 4, 5][..], [5, 4]),
            (&[4, 5, 6, 7, 8, 9], [6, 7]),
            (&[0, 1, 2, 4, 5, 6], [6, 5]),
            (&[4, 5, 6, 8, 9, 10], [6, 5]),
            (&[0, 1], [1, 0]),
        ] {
            let image = image(cells, board);
            let mut order: Vec<usize> = (0..cells.len()).collect();
            order.sort_by_key(|&k| image[k]);
            let found =
                [cells[order[0]], cells[order[1]]].map(|cell| neighbours(cell.into(), board));
            let wanted = first_two.map(|cell| neighbours(cell, board));
            assert_eq!(found, wanted, "{cells:?} as {image:?}");
        }
        assert_eq!(image(&[10], board), [5], "the inner cell with the lowest number");
    }
}
