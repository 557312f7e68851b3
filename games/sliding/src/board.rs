//! A board of a sliding game: the line rule applied to all lines in all directions.

use crate::line::merging_pairs;
use crate::tables::Tables;
use crate::{Direction, LineRule, symmetry, text};
use runner_board::narrow;
use runner_core::geometry::{FIFTH_BITS, Geometry};
use runner_core::rows::{ROWS, Row};
use runner_core::{BuildError, TextError};
use std::ops::RangeInclusive;

/// The allowed numbers of rows and of columns.
pub const SIDES: RangeInclusive<usize> = 2..=5;

/// Refuses a game's parameters `rows` and `cols` if they are not in [`SIDES`].
pub fn check_sides(rows: usize, cols: usize) -> Result<(), BuildError> {
    for (name, side) in [("rows", rows), ("cols", cols)] {
        if !SIDES.contains(&side) {
            let message = format!("{side} is not from {} to {}", SIDES.start(), SIDES.end());
            return Err(BuildError::of(name, message));
        }
    }
    Ok(())
}

/// A board with its geometry and its moves.
///
/// Positions are passed as 128 bits (see [`runner_core::geometry`]). The bits outside the cells
/// belong to the game; every method leaves them unchanged.
pub struct Board<R> {
    rule: R,
    geometry: Geometry,
    pub(crate) tables: Tables,
    /// A mask with the lowest bit of each cell's slot.
    lowest: u128,
    /// The number of each of the geometry's symmetries among those of a board without stones.
    numbers: Vec<usize>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Slide {
    /// The position after the push.
    pub bits: u128,
    pub reward: f32,
    /// Bit k is set if line k moved: row k, or column k in a vertical push. No bit is set
    /// exactly if the push is not legal.
    pub moved: u8,
}

impl<R: LineRule> Board<R> {
    /// Creates a board of this size.
    ///
    /// # Panics
    ///
    /// If a side is not in [`SIDES`], if there are more than 32 ranks, or if a stone is outside
    /// the board.
    pub fn new(rows: usize, cols: usize, rule: R) -> Self {
        assert!(
            SIDES.contains(&rows) && SIDES.contains(&cols),
            "{rows} x {cols} is not a valid size"
        );
        let values = rule.values();
        assert!(values.len() <= 32, "a cell has five bits, too few for {} ranks", values.len());
        let (numbers, symmetries) = symmetry::that_keep(rows, cols, rule.blocked());
        let merges = merging_pairs(&rule);
        let geometry = Geometry { rows, cols, values, symmetries, merges, ..Geometry::default() };
        let lowest = (0..rows * cols).fold(0, |mask, cell| mask | 1 << (4 * geometry.slot(cell)));
        let tables = Tables::new(rows, cols, &rule);
        Self { rule, geometry, tables, lowest, numbers }
    }

    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// Returns the tables that push rows and columns, for boards of up to 4 x 4.
    pub fn row_tables(&self) -> Option<(&[Row; ROWS], &[Row; ROWS])> {
        match &self.tables {
            Tables::Narrow { across, down } => Some((across, down)),
            Tables::Wide { .. } => None,
        }
    }

    /// Returns the board before any tile has entered, with its stones.
    pub fn without_tiles(&self) -> u128 {
        let Some(stone) = text::stone(&self.geometry) else { return 0 };
        let blocked = self.rule.blocked().iter();
        blocked.fold(0, |bits, &cell| self.geometry.with_rank(bits, cell, stone))
    }

    #[inline(always)]
    pub fn slide(&self, bits: u128, direction: Direction) -> Slide {
        if self.fifth_bits(bits) == 0 {
            let cells = self.lowest * 15;
            if let Some(pushed) = self.tables.push(bits & cells, direction) {
                let bits = bits & !cells | pushed.cells;
                return Slide { bits, reward: pushed.reward, moved: pushed.moved };
            }
        }
        self.slide_cell_by_cell(bits, direction)
    }

    /// Does the same without the tables, which do not hold ranks above 15.
    #[cold]
    #[inline(never)]
    pub(crate) fn slide_cell_by_cell(&self, bits: u128, direction: Direction) -> Slide {
        let Geometry { rows, cols, .. } = self.geometry;
        let (lines, length) = if direction.is_vertical() { (cols, rows) } else { (rows, cols) };
        let mut slide = Slide { bits, reward: 0.0, moved: 0 };
        for k in 0..lines {
            // The i-th cell of the line, counted from the wall.
            let cell = |i: usize| {
                let i = if direction.is_toward_first() { i } else { length - 1 - i };
                if direction.is_vertical() { i * cols + k } else { k * cols + i }
            };
            let mut before = [0; 5];
            for (i, rank) in before[..length].iter_mut().enumerate() {
                *rank = self.geometry.rank(bits, cell(i));
            }
            let mut after = before;
            slide.reward += self.rule.push(&mut after[..length]);
            slide.moved |= u8::from(before != after) << k;
            for (i, &rank) in after[..length].iter().enumerate() {
                slide.bits = self.geometry.with_rank(slide.bits, cell(i), rank);
            }
        }
        slide
    }

    /// Returns a mask with the lowest bit of each empty cell's slot.
    #[inline(always)]
    pub fn empty(&self, bits: u128) -> u128 {
        let mut taken = bits | bits >> 2;
        taken |= taken >> 1;
        self.lowest & !(taken | spread(self.fifth_bits(bits)))
    }

    #[inline]
    pub fn max_rank(&self, bits: u128) -> u8 {
        // Bit by bit from the highest, among the cells that match all bits so far.
        let mut cells = self.lowest;
        let mut rank = 0;
        let mut try_bit = |bit: u8, with: u128| {
            if cells & with != 0 {
                cells &= with;
                rank |= 1 << bit;
            }
        };
        try_bit(4, spread(self.fifth_bits(bits)));
        (0..4).rev().for_each(|bit| try_bit(bit, bits >> bit));
        rank
    }

    /// Returns the rank of every cell, row by row.
    pub fn ranks(&self, bits: u128) -> impl Iterator<Item = u8> + '_ {
        (0..self.geometry.cells()).map(move |cell| self.geometry.rank(bits, cell))
    }

    pub fn sum(&self, bits: u128) -> u64 {
        self.ranks(bits).map(|rank| self.geometry.values[usize::from(rank)]).sum()
    }

    /// Returns true if no push changes the [`sum`](Board::sum).
    pub fn keeps_sums(&self) -> bool {
        self.tables.keep_sums(self.geometry.rows, self.geometry.cols, &self.rule)
    }

    /// Returns the image of a position under a symmetry, like [`Geometry::transform`], but
    /// faster if no rank is above 15.
    #[inline]
    pub fn transform(&self, bits: u128, symmetry: usize) -> u128 {
        if self.fifth_bits(bits) != 0 {
            return self.geometry.transform(bits, symmetry);
        }
        let Geometry { rows, cols, .. } = self.geometry;
        let cells = self.lowest * 15;
        let number = self.numbers[symmetry];
        let board = match self.tables {
            Tables::Narrow { .. } => {
                narrow::transform(rows, cols, (bits & cells) as u64, number).into()
            }
            Tables::Wide { .. } => symmetry::transform_wide(rows, cols, bits & cells, number),
        };
        bits & !cells | board
    }

    pub fn write(&self, bits: u128) -> String {
        text::write(&self.geometry, bits)
    }

    /// Reads the cells from a text that contains nothing else.
    pub fn parse(&self, text: &str) -> Result<u128, TextError> {
        text::parse(&self.geometry, text)
    }

    /// Returns the fifth bits of all cells; 0 if the game has at most 16 ranks.
    #[inline(always)]
    fn fifth_bits(&self, bits: u128) -> u128 {
        if self.geometry.has_fifth_bits() { bits >> FIFTH_BITS & 0x1ff_ffff } else { 0 }
    }
}

/// Moves bit k of a fifth-bit field to the lowest bit of slot k.
#[inline(always)]
fn spread(fifth: u128) -> u128 {
    if fifth == 0 {
        return 0;
    }
    (0..25).fold(0, |mask, slot| mask | (fifth >> slot & 1) << (4 * slot))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slide_far;
    use runner_core::Random;

    /// Tiles move by one cell and equal ones merge: unlike a far slide, and with few ranks, so
    /// that the rest of the position is free.
    struct Step;

    impl LineRule for Step {
        fn values(&self) -> Vec<u64> {
            (0..12).collect()
        }

        fn push(&self, line: &mut [u8]) -> f32 {
            let meets = |i: &usize| {
                let (wall, next) = (line[*i], line[i + 1]);
                next != 0 && (wall == 0 || wall == next && next < 11)
            };
            let Some(at) = (0..line.len() - 1).find(meets) else { return 0.0 };
            let reward = if line[at] == 0 { 0.0 } else { 1.0 };
            line[at] = line[at + 1] + u8::from(line[at] != 0);
            line[at + 1] = 0;
            line[at + 1..].rotate_left(1);
            reward
        }
    }

    /// Far slides with all ranks that five bits can hold.
    struct Far;

    impl LineRule for Far {
        fn values(&self) -> Vec<u64> {
            (0..32).collect()
        }

        fn push(&self, line: &mut [u8]) -> f32 {
            slide_far(line, |a, b| (a == b && a < 31).then_some((a + 1, f32::from(a))))
        }
    }

    /// Calls `check` with boards of all sizes and random positions, in which the bits outside
    /// the cells are random too.
    fn on_random_positions<R: LineRule>(rule: fn() -> R, check: impl Fn(&Board<R>, u128)) {
        let mut random = Random::from_word(1);
        for (rows, cols) in SIDES.flat_map(|rows| SIDES.map(move |cols| (rows, cols))) {
            let board = Board::new(rows, cols, rule());
            let ranks = board.geometry.values.len() as u32;
            for k in 0..1000 {
                let noise = u128::from(random.word()) << 64 | u128::from(random.word());
                // Low ranks, many of which merge, and all ranks.
                let below = if k % 2 == 0 { 4 } else { ranks };
                let bits = (0..rows * cols).fold(noise, |bits, cell| {
                    board.geometry.with_rank(bits, cell, random.below(below) as u8)
                });
                check(&board, bits);
            }
        }
    }

    fn tables_agree_with_cells<R: LineRule>(rule: fn() -> R) {
        on_random_positions(rule, |board, bits| {
            for direction in Direction::ALL {
                let slide = board.slide(bits, direction);
                assert_eq!(slide, board.slide_cell_by_cell(bits, direction));
                assert_eq!(slide.moved == 0, slide.bits == bits);
            }
        });
    }

    #[test]
    fn tables_agree_with_the_rule() {
        tables_agree_with_cells(|| Step);
        tables_agree_with_cells(|| Far);
    }

    fn transforms_agree<R: LineRule>(rule: fn() -> R) {
        on_random_positions(rule, |board, bits| {
            for symmetry in 0..board.geometry.symmetries.len() {
                let expected = board.geometry.transform(bits, symmetry);
                assert_eq!(board.transform(bits, symmetry), expected);
            }
        });
    }

    #[test]
    fn fast_transforms_agree_with_the_geometry() {
        transforms_agree(|| Step);
        transforms_agree(|| Far);
    }

    #[test]
    fn pushes_commute_with_symmetries() {
        on_random_positions(
            || Step,
            |board, bits| {
                for (k, symmetry) in board.geometry.symmetries.iter().enumerate() {
                    let image = board.transform(bits, k);
                    for direction in Direction::ALL {
                        let becomes = symmetry.actions[direction.action().index()];
                        let there = board.slide(image, Direction::of(becomes).unwrap());
                        let here = board.slide(bits, direction);
                        assert_eq!(there.bits, board.transform(here.bits, k));
                        assert_eq!(there.reward, here.reward);
                    }
                }
            },
        );
    }

    #[test]
    fn squares_have_eight_symmetries_other_rectangles_four() {
        for (rows, cols, count) in [(4, 4, 8), (2, 3, 4), (5, 5, 8), (5, 4, 4)] {
            let mut cells: Vec<_> =
                symmetry::symmetries(rows, cols).into_iter().map(|s| s.cells).collect();
            assert!(cells[0].is_sorted(), "the first is the identity");
            cells.sort();
            cells.dedup();
            assert_eq!(cells.len(), count);
        }
    }

    #[test]
    fn empty_cells_and_ranks_agree_with_the_geometry() {
        on_random_positions(
            || Far,
            |board, bits| {
                let ranks: Vec<u8> = board.ranks(bits).collect();
                let empty = board.empty(bits);
                for (cell, &rank) in ranks.iter().enumerate() {
                    let slot = board.geometry.slot(cell);
                    assert_eq!(empty >> (4 * slot) & 15, u128::from(rank == 0));
                }
                assert_eq!(empty.count_ones() as usize, ranks.iter().filter(|&&r| r == 0).count());
                assert_eq!(board.max_rank(bits), *ranks.iter().max().unwrap());
                assert_eq!(board.sum(bits), ranks.iter().map(|&r| u64::from(r)).sum());
            },
        );
    }

    #[test]
    fn moved_lines_are_rows_or_columns() {
        let board = Board::new(3, 3, Step);
        let bits = board.parse("0,1,0/2,0,0/0,3,3").unwrap();
        let moved = |direction| board.slide(bits, direction).moved;
        assert_eq!(moved(Direction::Left), 0b101);
        assert_eq!(moved(Direction::Right), 0b111);
        assert_eq!(moved(Direction::Up), 0b111);
        assert_eq!(moved(Direction::Down), 0b011);
    }

    #[test]
    fn the_text_after_the_cells_is_returned() {
        let board = Board::new(2, 2, Step);
        let (bits, rest) = text::parse_cells(board.geometry(), "1,2/3,0 next=1").unwrap();
        assert_eq!((board.write(bits).as_str(), rest), ("1,2/3,0", " next=1"));
        assert_eq!(board.parse("1,2/3,0 next=1").unwrap_err().at, 7);
    }
}
