//! The last ply of a search on a sliding board, for a value that is a sum over the lines of the
//! board.
//!
//! A tile that enters changes one row and one column. Two of the four pushes that follow move
//! rows, two move columns. Lines move independently, so only the line with the new tile has a
//! new result. A push therefore costs one table lookup for that line, one for its value, and
//! one for each of the four lines that cross it. No position is generated, and neither the
//! game nor the value is called.
//!
//! The results are bit-identical to those of the value's own evaluation.

use crate::other_lines::{OtherLines, PushedLine};
use crate::rank_set::RankSet;
use runner_core::Afterstate;
use runner_core::lines::{LineValues, four, spread};
use runner_core::rows::{BEYOND, ROWS, Row, RowTables, transpose};
use std::sync::Arc;

/// The tables of a game and of a value, prepared for the last ply.
#[derive(Debug)]
pub struct LastPly {
    game: RowTables,
    value: LineValues,
    /// The pushes of rows.
    across: Arc<PushTable>,
    /// The pushes of columns.
    down: Arc<PushTable>,
}

/// The pushes of every row, or of every column.
#[derive(Debug)]
struct PushTable {
    /// Each line after a push toward its first cell and after one toward its last cell.
    pushed: Box<[[u16; 2]; ROWS]>,
    /// One bit for each line. It is set if the game's tables lack a push of the line, or of the
    /// line after a tile has entered it.
    unknown: Box<[u64; ROWS / 64]>,
}

impl LastPly {
    pub fn new(game: &RowTables, value: &LineValues) -> Self {
        let (game_across, game_down) = game.tables();
        let ranks: Vec<u32> = game.entries().iter().map(|entry| u32::from(entry.rank)).collect();
        let is_square = Arc::ptr_eq(game_across, game_down);
        let across = Arc::new(PushTable::new(game_across, &ranks));
        let down =
            if is_square { across.clone() } else { Arc::new(PushTable::new(game_down, &ranks)) };
        Self { game: game.clone(), value: value.clone(), across, down }
    }

    /// Returns true if this was prepared for the game with these tables. Games can share the
    /// tables of their pushes and differ in the tiles that enter.
    pub fn is_of(&self, game: &RowTables) -> bool {
        let (across, down) = self.game.tables();
        let (other_across, other_down) = game.tables();
        Arc::ptr_eq(across, other_across)
            && Arc::ptr_eq(down, other_down)
            && self.game.cells() == game.cells()
            && self.game.entries() == game.entries()
    }

    /// Returns the part of an afterstate's expectation that comes from the outcomes that are
    /// leaves: `is_leaf` is true for their probability. Returns `None` if there are none or if the
    /// tables do not cover the position. A state without a legal action has the value `terminal`.
    #[inline]
    pub fn expectation(
        &self,
        afterstate: Afterstate,
        terminal: f32,
        is_leaf: impl Fn(f64) -> bool,
    ) -> Option<PartialExpectation> {
        let board = afterstate.lo;
        // One bit for each empty cell, the lowest of its four.
        let mut empty = self.game.empty(afterstate);
        let share = 1.0 / f64::from(empty.count_ones());
        let mut ranks = RankSet::default();
        for tile in self.game.entries() {
            ranks.add_if(is_leaf(tile.probability * share), tile.rank);
        }
        let unknown = afterstate.hi & !self.game.carried_bits();
        if ranks.is_empty() || empty == 0 || unknown != 0 {
            return None;
        }
        let turned = transpose(board);
        if self.across.is_unknown(board) || self.down.is_unknown(turned) {
            return None;
        }
        let (rows, columns) = self.value.tables();
        let across = Axis::new(&self.across, rows, columns, board);
        let down = Axis::new(&self.down, columns, rows, turned);
        let mut found = PartialExpectation { ranks, ..PartialExpectation::default() };
        while empty != 0 {
            let place = empty.trailing_zeros() as usize;
            let (row, column) = (place / 16, place % 16 / 4);
            for tile in self.game.entries().iter().filter(|tile| ranks.contains(tile.rank)) {
                let (mut best, leaves) = (f32::NEG_INFINITY, &mut found.leaves);
                let rank = u64::from(tile.rank);
                across.push(row, column, rank, &self.value, &mut best, leaves);
                down.push(column, row, rank, &self.value, &mut best, leaves);
                let value = if best == f32::NEG_INFINITY { terminal } else { best };
                found.sum += tile.probability * share * f64::from(value);
            }
            empty &= empty - 1;
        }
        Some(found)
    }
}

/// The part of an expectation that comes from the outcomes in which some of the tiles enter.
#[derive(Clone, Copy, Debug, Default)]
pub struct PartialExpectation {
    /// The sum of probability times value of these outcomes.
    pub sum: f64,
    /// Number of leaves in the sum.
    pub leaves: u64,
    /// The ranks of these tiles.
    pub ranks: RankSet,
}

impl PushTable {
    /// Creates the table from the game's table of rows or columns and the ranks that can enter.
    fn new(rows: &[Row; ROWS], entering: &[u32]) -> Self {
        let is_beyond = |row: &Row| (row.first | row.last) & BEYOND != 0;
        let mut unknown = Box::new([0; ROWS / 64]);
        for (line, row) in rows.iter().enumerate() {
            let mut is_unknown = is_beyond(row);
            let empty_cells = [0, 4, 8, 12].into_iter().filter(|shift| line >> shift & 15 == 0);
            for shift in empty_cells {
                for &rank in entering {
                    is_unknown |= is_beyond(&rows[line | (rank as usize) << shift]);
                }
            }
            unknown[line / 64] |= u64::from(is_unknown) << (line % 64);
        }
        let pushed: Box<[[u16; 2]]> =
            rows.iter().map(|row| [row.first as u16, row.last as u16]).collect();
        Self { pushed: pushed.try_into().expect("there are `ROWS` lines"), unknown }
    }

    /// Returns true if one of the four lines is unknown.
    #[inline(always)]
    fn is_unknown(&self, lines: u64) -> bool {
        let is_known = |shift: u32| {
            let line = (lines >> shift & 0xffff) as usize;
            self.unknown[line / 64] >> (line % 64) & 1 == 0
        };
        !(is_known(0) & is_known(16) & is_known(32) & is_known(48))
    }
}

/// A board before a tile enters, prepared for the two pushes along one axis: those of the rows, or
/// those of the columns.
struct Axis<'a> {
    pushed: &'a [[u16; 2]; ROWS],
    /// The value of each line along the axis.
    along: &'a [f32; ROWS],
    /// The value of each line that crosses them.
    crossing: &'a [f32; ROWS],
    /// The lines along the axis.
    lines: u64,
    /// Toward the first cell and toward the last, for each line the result of pushing the other
    /// three. Their boards have the crossing lines.
    others: [[OtherLines; 4]; 2],
}

impl<'a> Axis<'a> {
    #[inline(always)]
    fn new(
        table: &'a PushTable,
        along: &'a [f32; ROWS],
        crossing: &'a [f32; ROWS],
        lines: u64,
    ) -> Self {
        let pushed = &*table.pushed;
        let others = [0, 1].map(|toward| {
            let results = [0, 16, 32, 48].map(|shift| {
                let to = pushed[usize::from((lines >> shift) as u16)][toward];
                PushedLine { line: to.into(), term: along[usize::from(to)] }
            });
            OtherLines::of_each(lines, &results, |line, to| spread(to as u16) << (4 * line))
        });
        Self { pushed, along, crossing, lines, others }
    }

    /// Pushes the board both ways with a tile of this rank in one more cell. Raises `best` to the
    /// greater value of the resulting boards, and adds their number to `leaves`. A push that moves
    /// nothing is not legal and does not count.
    #[inline(always)]
    fn push(
        &self,
        line: usize,
        cell: usize,
        rank: u64,
        value: &LineValues,
        best: &mut f32,
        leaves: &mut u64,
    ) {
        let from = (self.lines >> (16 * line)) as u16 | (rank << (4 * cell)) as u16;
        for (to, others) in self.pushed[usize::from(from)].into_iter().zip(&self.others) {
            let others = &others[line];
            let crossing_lines = others.board | spread(to) << (4 * line);
            let along = (self.along[usize::from(to)] + others.neighbour) + others.pair;
            let total = value.total(along, four(self.crossing, crossing_lines));
            let is_legal = others.moves | (to != from);
            *best = best.max(if is_legal { total } else { f32::NEG_INFINITY });
            *leaves += u64::from(is_legal);
        }
    }
}
