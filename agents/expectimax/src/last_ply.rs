//! The last ply of a search on a sliding board whose value is a sum over its lines.
//!
//! A tile that enters changes one row and one column. Two of the four pushes that follow move
//! rows, two move columns. Lines move independently, so only the line with the new tile has a
//! new result. A push therefore costs one table lookup for that line, one for its value, and
//! one for each of the four lines that cross it. No position is generated, and neither the
//! game nor the value is called.
//!
//! The results are bit-identical to those of the value's own evaluation.

use crate::other_lines::OtherLines;
use runner_core::Afterstate;
use runner_core::lines::{LineValues, four, spread};
use runner_core::rows::{BEYOND, Entry, ROWS, Row, RowTables, transpose};
use std::sync::Arc;

/// The tables of a game and of a value, prepared for the last ply.
#[derive(Debug)]
pub struct LastPly {
    game: RowTables,
    value: LineValues,
    across: Arc<PushTable>,
    down: Arc<PushTable>,
    tiles: Vec<EnteringTile>,
}

#[derive(Clone, Copy, Debug)]
struct EnteringTile {
    rank: u64,
    probability: f64,
}

/// The pushes of every line of one direction.
#[derive(Debug)]
struct PushTable {
    /// Each line after a push toward its first cell and after one toward its last cell.
    pushed: Box<[[u16; 2]; ROWS]>,
    /// One bit for each line, set if a push of it, or of it with one more tile, is not in
    /// the game's tables.
    unknown: Box<[u64; ROWS / 64]>,
}

impl LastPly {
    pub fn new(game: &RowTables, value: &LineValues) -> Self {
        let (across, down) = game.tables();
        let ranks: Vec<u32> = game.entries().iter().map(|entry| u32::from(entry.rank)).collect();
        let is_square = Arc::ptr_eq(across, down);
        let across = Arc::new(PushTable::new(across, &ranks));
        let down = if is_square { across.clone() } else { Arc::new(PushTable::new(down, &ranks)) };
        let tile = |it: &Entry| EnteringTile { rank: it.rank.into(), probability: it.probability };
        let tiles = game.entries().iter().map(tile).collect();
        Self { game: game.clone(), value: value.clone(), across, down, tiles }
    }

    /// Returns true if this was prepared for such a game. Games can share their tables and
    /// differ in the tiles that enter.
    pub fn is_of(&self, game: &RowTables) -> bool {
        let ((across, down), (of_across, of_down)) = (self.game.tables(), game.tables());
        Arc::ptr_eq(across, of_across)
            && Arc::ptr_eq(down, of_down)
            && self.game.cells() == game.cells()
            && self.game.entries() == game.entries()
    }

    /// Returns the part of an afterstate's expectation that comes from the outcomes for
    /// whose probability `is_leaf` is true, or `None` if there are none or if the tables do
    /// not cover the position. A state without a legal action has the value `terminal`.
    #[inline]
    pub fn expectation(
        &self,
        afterstate: Afterstate,
        terminal: f32,
        is_leaf: impl Fn(f64) -> bool,
    ) -> Option<PartialExpectation> {
        let board = afterstate.lo;
        let mut empty = self.game.empty(afterstate);
        let share = 1.0 / f64::from(empty.count_ones());
        let leaves = self.tiles.iter().filter(|tile| is_leaf(tile.probability * share));
        let ranks = leaves.fold(0u32, |ranks, tile| ranks | 1 << tile.rank);
        let unknown = afterstate.hi & !self.game.carried_bits();
        if ranks == 0 || empty == 0 || unknown != 0 {
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
            for tile in self.tiles.iter().filter(|tile| ranks >> tile.rank & 1 != 0) {
                let (mut best, leaves) = (f32::NEG_INFINITY, &mut found.leaves);
                across.push(row, column, tile.rank, &self.value, &mut best, leaves);
                down.push(column, row, tile.rank, &self.value, &mut best, leaves);
                let value = if best == f32::NEG_INFINITY { terminal } else { best };
                found.sum += tile.probability * share * f64::from(value);
            }
            empty &= empty - 1;
        }
        Some(found)
    }
}

/// The part of an expectation that comes from some of the tiles that can enter.
#[derive(Clone, Copy, Debug, Default)]
pub struct PartialExpectation {
    /// The sum of probability times value.
    pub sum: f64,
    pub leaves: u64,
    /// A bit for the rank of each of these tiles.
    pub ranks: u32,
}

impl PushTable {
    fn new(rows: &[Row; ROWS], entering: &[u32]) -> Self {
        let is_beyond = |row: &Row| (row.first | row.last) & BEYOND != 0;
        let mut unknown = Box::new([0; ROWS / 64]);
        for (line, row) in rows.iter().enumerate() {
            let mut is_unknown = is_beyond(row);
            for shift in [0, 4, 8, 12].into_iter().filter(|shift| line >> shift & 15 == 0) {
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

    #[inline(always)]
    fn is_unknown(&self, lines: u64) -> bool {
        let known = |shift: u32| {
            let line = (lines >> shift & 0xffff) as usize;
            self.unknown[line / 64] >> (line % 64) & 1 == 0
        };
        !(known(0) & known(16) & known(32) & known(48))
    }
}

/// A board before a tile enters, prepared for the two pushes along one axis.
struct Axis<'a> {
    pushed: &'a [[u16; 2]; ROWS],
    /// The values of the lines that are pushed, and of those that cross them.
    along: &'a [f32; ROWS],
    across: &'a [f32; ROWS],
    lines: u64,
    /// Toward the first cell and toward the last, for each line the result of pushing the other
    /// three, as crossing lines.
    others: [[OtherLines; 4]; 2],
}

impl<'a> Axis<'a> {
    #[inline(always)]
    fn new(
        table: &'a PushTable,
        along: &'a [f32; ROWS],
        across: &'a [f32; ROWS],
        lines: u64,
    ) -> Self {
        let pushed = &*table.pushed;
        let others = [0, 1].map(|toward| {
            let results = [0, 16, 32, 48].map(|shift| {
                let to = pushed[usize::from((lines >> shift) as u16)][toward];
                (u32::from(to), along[usize::from(to)])
            });
            OtherLines::of_each(lines, &results, |line, to| spread(to as u16) << (4 * line))
        });
        Self { pushed, along, across, lines, others }
    }

    /// Pushes the board both ways with a tile in one more cell, and raises `best` to the
    /// greater value of the resulting boards.
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
            let crossing = others.board | spread(to) << (4 * line);
            let along = (self.along[usize::from(to)] + others.neighbour) + others.pair;
            let total = value.total(along, four(self.across, crossing));
            let is_legal = others.moves | (to != from);
            *best = best.max(if is_legal { total } else { f32::NEG_INFINITY });
            *leaves += u64::from(is_legal);
        }
    }
}
