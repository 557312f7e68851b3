//! Symmetries and sums of narrow boards, which have up to 4 x 4 cells with ranks up to 15: bit
//! operations on the word that holds the cells.
//!
//! Symmetry number k of a rectangle mirrors the cells at the main diagonal if bit 2 of k is set
//! (squares only), then left to right if bit 0 is set, then top to bottom if bit 1 is set.

use runner_core::geometry::Geometry;
use runner_core::slots::{ROWS, transpose};

/// The number of the symmetry that mirrors left to right.
pub const LEFT_RIGHT: usize = 1;
/// The number of the symmetry that mirrors top to bottom.
pub const TOP_BOTTOM: usize = 2;
/// The number of the symmetry that mirrors at the main diagonal.
pub const DIAGONAL: usize = 4;

/// Returns the image of a board under symmetry number `k` of its rectangle.
#[inline(always)]
pub const fn transform(rows: usize, cols: usize, board: u64, k: usize) -> u64 {
    let mut board = if k & DIAGONAL != 0 { transpose(board) } else { board };
    if k & LEFT_RIGHT != 0 {
        board = left_right(board, cols);
    }
    if k & TOP_BOTTOM != 0 {
        board = top_bottom(board, rows);
    }
    board
}

/// Reverses the four slots of each row: neighbours change places, then pairs do. If the board has
/// fewer columns, its cells are then shifted back to the first slots.
#[inline(always)]
const fn left_right(board: u64, cols: usize) -> u64 {
    let swapped = (board & 0x0f0f_0f0f_0f0f_0f0f) << 4 | board >> 4 & 0x0f0f_0f0f_0f0f_0f0f;
    let mirrored = (swapped & 0x00ff_00ff_00ff_00ff) << 8 | swapped >> 8 & 0x00ff_00ff_00ff_00ff;
    mirrored >> (4 * (4 - cols))
}

/// Reverses the four rows, by the same steps as [`left_right`].
#[inline(always)]
const fn top_bottom(board: u64, rows: usize) -> u64 {
    let swapped = (board & 0x0000_ffff_0000_ffff) << 16 | board >> 16 & 0x0000_ffff_0000_ffff;
    swapped.rotate_left(32) >> (16 * (4 - rows))
}

/// The symmetries of a narrow board, in the order of its geometry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symmetries {
    rows: usize,
    cols: usize,
    /// The number of each symmetry of the geometry.
    numbers: Vec<usize>,
    /// For each number: 0 if the geometry has the symmetry, otherwise all bits set, so that the
    /// bitwise or with an image is never the smallest.
    lacking: [u64; 8],
}

impl Symmetries {
    /// Returns the symmetries of a geometry, if its board is narrow and all of them are
    /// symmetries of a rectangle.
    pub fn of(geometry: &Geometry) -> Option<Self> {
        let Geometry { rows, cols, .. } = *geometry;
        if !(1..=4).contains(&rows) || !(1..=4).contains(&cols) {
            return None;
        }
        let board_of = |ranks: &[u8]| {
            let mut board = 0;
            for (cell, &rank) in ranks.iter().enumerate() {
                board |= u64::from(rank) << (4 * geometry.slot(cell));
            }
            board
        };
        // Each cell has its number as its rank. So cell `i` of an image holds the number of the
        // cell that it comes from, as `Symmetry::cells[i]` does.
        let numbered = board_of(&Vec::from_iter(0..(rows * cols) as u8));
        let count = if rows == cols { 8 } else { 4 };
        let mut numbers = Vec::new();
        for symmetry in &geometry.symmetries {
            let image = board_of(&symmetry.cells);
            numbers.push((0..count).find(|&k| transform(rows, cols, numbered, k) == image)?);
        }
        let lacking = std::array::from_fn(|k| if numbers.contains(&k) { 0 } else { u64::MAX });
        Some(Self { rows, cols, numbers, lacking })
    }

    pub fn count(&self) -> usize {
        self.numbers.len()
    }

    /// Returns the image of a board under a symmetry, given by its position in the geometry's list.
    #[inline(always)]
    pub fn transform(&self, board: u64, symmetry: usize) -> u64 {
        transform(self.rows, self.cols, board, self.numbers[symmetry])
    }

    /// Returns the smallest image of a board, itself included.
    #[inline(always)]
    pub fn least(&self, board: u64) -> u64 {
        // All boards of a game take the same branch.
        if self.rows == self.cols {
            self.least_of_square(board)
        } else {
            self.least_of_mirrored(board, 0)
        }
    }

    #[inline(always)]
    fn least_of_square(&self, board: u64) -> u64 {
        self.least_of_mirrored(board, 0).min(self.least_of_mirrored(transpose(board), DIAGONAL))
    }

    /// Returns the smallest of four images: the board itself, and mirrored left to right, top to
    /// bottom, and both ways. Images whose symmetry the geometry lacks do not count. `diagonal` is
    /// [`DIAGONAL`] if the board is transposed already, otherwise 0.
    #[inline(always)]
    fn least_of_mirrored(&self, board: u64, diagonal: usize) -> u64 {
        let lacking = |mirrors: usize| self.lacking[diagonal | mirrors];
        let mirrored = left_right(board, self.cols);
        let (flipped, both) = (top_bottom(board, self.rows), top_bottom(mirrored, self.rows));
        (board | lacking(0))
            .min(mirrored | lacking(LEFT_RIGHT))
            .min(flipped | lacking(TOP_BOTTOM))
            .min(both | lacking(LEFT_RIGHT | TOP_BOTTOM))
    }

    /// Replaces each board by its smallest image, as [`least`](Symmetries::least) does.
    #[inline]
    pub fn least_of_each(&self, boards: &mut [u64]) {
        // A loop without branches, so that the compiler vectorises it.
        if self.rows == self.cols {
            boards.iter_mut().for_each(|board| *board = self.least_of_square(*board));
        } else {
            boards.iter_mut().for_each(|board| *board = self.least_of_mirrored(*board, 0));
        }
    }
}

/// The sum of the displayed values of each row, by the 16 bits of the row's four slots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sums(Box<[u32; ROWS]>);

impl Sums {
    /// Returns the sums for a geometry, if its board is narrow and its values are below 2^30, so
    /// that four of them are below 2^32.
    pub fn of(geometry: &Geometry) -> Option<Self> {
        if geometry.rows > 4 || geometry.cols > 4 {
            return None;
        }
        let values = &geometry.values;
        if values.iter().any(|&value| value > u64::from(u32::MAX / 4)) {
            return None;
        }
        let value = |rank: usize| values.get(rank).map_or(0, |&value| value as u32);
        let sum = |row: usize| (0..4).map(|cell| value(row >> (4 * cell) & 15)).sum();
        let sums: Box<[u32]> = (0..ROWS).map(sum).collect();
        sums.try_into().ok().map(Self)
    }

    /// Returns the sum of the displayed values of a board.
    #[inline(always)]
    pub fn sum(&self, board: u64) -> u64 {
        [0, 16, 32, 48]
            .map(|shift| u64::from(self.0[(board >> shift & 0xffff) as usize]))
            .iter()
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use runner_core::Random;
    use runner_core::geometry::Symmetry;

    /// Returns a board with the symmetries of these numbers.
    fn geometry(rows: usize, cols: usize, numbers: &[usize]) -> Geometry {
        let source = |k: usize, cell: usize| {
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
        let symmetry = |&k: &usize| Symmetry {
            cells: (0..rows * cols).map(|cell| source(k, cell)).collect(),
            actions: Vec::new(),
        };
        let symmetries = numbers.iter().map(symmetry).collect();
        Geometry {
            rows,
            cols,
            values: (0..16).map(|rank| rank * rank).collect(),
            symmetries,
            ..Geometry::default()
        }
    }

    fn on_random_boards(check: impl Fn(&Geometry, &Symmetries, u64)) {
        let mut random = Random::from_word(1);
        for (rows, cols) in (1..=4).flat_map(|rows| (1..=4).map(move |cols| (rows, cols))) {
            let all: &[usize] =
                if rows == cols { &[0, 1, 2, 3, 4, 5, 6, 7] } else { &[0, 1, 2, 3] };
            // All symmetries, those of a board with a stone in the middle of a side, and only one.
            for numbers in [all, &[0, 1], &[0]] {
                let geometry = geometry(rows, cols, numbers);
                let symmetries = Symmetries::of(&geometry).expect("they are a rectangle's");
                for _ in 0..500 {
                    let board = (0..rows * cols).fold(0, |bits, cell| {
                        geometry.with_rank(bits, cell, random.below(16) as u8)
                    });
                    check(&geometry, &symmetries, board as u64);
                }
            }
        }
    }

    #[test]
    fn transforms_agree_with_the_geometry() {
        on_random_boards(|geometry, symmetries, board| {
            for k in 0..symmetries.count() {
                let expected = geometry.transform(board.into(), k);
                assert_eq!(u128::from(symmetries.transform(board, k)), expected);
            }
        });
    }

    #[test]
    fn least_is_the_smallest_of_all_transforms() {
        on_random_boards(|geometry, symmetries, board| {
            let images = (0..symmetries.count()).map(|k| geometry.transform(board.into(), k));
            let least = images.min().expect("there is the board itself") as u64;
            assert_eq!(symmetries.least(board), least);
            let mut several = [board, least, board, 0, board];
            symmetries.least_of_each(&mut several);
            assert_eq!(several, [least, least, least, 0, least]);
        });
    }

    #[test]
    fn sums_are_those_of_the_displayed_values() {
        let sums = Sums::of(&geometry(4, 4, &[0])).expect("it is narrow");
        on_random_boards(|geometry, _, board| {
            let shown = |cell| geometry.values[usize::from(geometry.rank(board.into(), cell))];
            let expected: u64 = (0..geometry.cells()).map(shown).sum();
            assert_eq!(sums.sum(board), expected);
        });
    }

    #[test]
    fn other_permutations_are_refused() {
        let mut geometry = geometry(3, 3, &[0, 1]);
        geometry.symmetries[1].cells.swap(0, 1);
        assert_eq!(Symmetries::of(&geometry), None);
    }
}
