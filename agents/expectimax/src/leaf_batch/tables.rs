//! Leaves on a sliding board, from the tables of its game.
//!
//! A tile that enters changes one row and one column, and lines move independently. So the board is
//! pushed once without the tile, and each leaf is one of the four results with another line. Tiles
//! that enter next to each other are pushed to the same cell, so the leaf of an empty cell is often
//! equal to the leaf of the empty cell before it.

use super::{BatchOutcome, Edge, LeafBatch};
use crate::other_lines::{OtherLines, PushedLine};
use crate::rank_set::RankSet;
use runner_core::Afterstate;
use runner_core::lines::spread;
use runner_core::rows::{BEYOND, ROWS, Row, RowTables, transpose};

/// The result of the last legal push of a line after a certain tile has entered it, and its leaf.
#[derive(Clone, Copy, Debug)]
pub(super) struct LastPush {
    line: u32,
    leaf: u32,
}

impl LastPush {
    /// There was no push yet: no line is equal to this one.
    const NONE: Self = Self { line: u32::MAX, leaf: 0 };
}

/// The last pushes for a tile: of the rows and of the columns, for each of the four lines, toward
/// its first cell and toward its last.
pub(super) type LastPushes = [[[LastPush; 2]; 4]; 2];

impl LeafBatch {
    /// Fills the batch with the outcomes of an afterstate that are leaves: `is_leaf` is true for
    /// their probability. Returns the ranks that enter in them. Returns `None` if there are none,
    /// or if the tables do not cover the position; the caller must then clear the batch.
    #[inline(always)]
    pub fn fill_from_tables(
        &mut self,
        game: &RowTables,
        afterstate: Afterstate,
        reward_weight: f32,
        is_leaf: impl Fn(f64) -> bool,
    ) -> Option<RankSet> {
        // One bit for each empty cell, the lowest of its four.
        let mut empty = game.empty(afterstate);
        let share = 1.0 / f64::from(empty.count_ones());
        let mut ranks = RankSet::default();
        for tile in game.entries() {
            ranks.add_if(is_leaf(tile.probability * share), tile.rank);
        }
        if ranks.is_empty() || empty == 0 || afterstate.hi & !game.carried_bits() != 0 {
            return None;
        }
        let entering = || game.entries().iter().filter(|tile| ranks.contains(tile.rank));
        let tiles = entering().count();
        let edge_count = 4 * tiles * empty.count_ones() as usize;
        self.clear();
        self.edges.resize(edge_count, Edge { leaf: 0, reward: 0.0 });
        // One more, because a leaf is written before it is known to be new.
        self.positions.resize(edge_count + 1, afterstate);
        self.last_pushes.clear();
        self.last_pushes.resize(tiles, [[[LastPush::NONE; 2]; 4]; 2]);

        let (across, down) = game.tables();
        let across = Axis::<false>::new(across, afterstate.lo);
        let down = Axis::<true>::new(down, transpose(afterstate.lo));
        let mut leaves = Leaves {
            positions: &mut self.positions,
            count: 0,
            hi: afterstate.hi,
            reward_weight,
            beyond: across.beyond | down.beyond,
        };
        let mut unfilled = self.edges.as_chunks_mut::<4>().0;
        while empty != 0 {
            let place = empty.trailing_zeros() as usize;
            let (row, column) = (place / 16, place % 16 / 4);
            empty &= empty - 1;
            for (tile, [row_pushes, column_pushes]) in entering().zip(&mut self.last_pushes) {
                let (edges, rest) = unfilled.split_first_mut()?;
                unfilled = rest;
                let rank = usize::from(tile.rank);
                let [left, right] = leaves.add(&across, row, column, rank, &mut row_pushes[row]);
                let [up, down] = leaves.add(&down, column, row, rank, &mut column_pushes[column]);
                *edges = [left, right, up, down];
                let edges_end = 4 * (self.outcomes.len() as u32 + 1);
                let probability = tile.probability * share;
                self.outcomes.push(BatchOutcome { probability, edges_end });
            }
        }
        let Leaves { count, beyond, .. } = leaves;
        self.positions.truncate(count as usize);
        if count == 0 {
            // Edges of illegal actions name leaf 0, which does not exist.
            self.edges.clear();
            self.outcomes.iter_mut().for_each(|outcome| outcome.edges_end = 0);
        }
        (beyond & BEYOND == 0).then_some(ranks)
    }
}

/// The leaves of a batch while it is filled.
struct Leaves<'a> {
    /// The first `count` are leaves.
    positions: &'a mut [Afterstate],
    count: u32,
    /// The second word of all positions.
    hi: u64,
    reward_weight: f32,
    /// All pushed lines, by bitwise or: it has [`BEYOND`] if one of them has.
    beyond: u32,
}

impl Leaves<'_> {
    /// Adds the leaves of both pushes along an axis after a tile has entered a cell of a line.
    /// Returns their edges. `toward_first` and `toward_last` are the last pushes of this line with
    /// this tile.
    #[inline(always)]
    fn add<const IS_DOWN: bool>(
        &mut self,
        axis: &Axis<'_, IS_DOWN>,
        line: usize,
        cell: usize,
        rank: usize,
        [toward_first, toward_last]: &mut [LastPush; 2],
    ) -> [Edge; 2] {
        let from = axis.line(line) | rank << (4 * cell);
        let row = &axis.table[from];
        self.beyond |= row.first | row.last;
        let [others_first, others_last] = &axis.others;
        let put = |line_after| Axis::<IS_DOWN>::put(line, line_after);
        let first = PushedLine { line: row.first, term: row.first_reward };
        let last = PushedLine { line: row.last, term: row.last_reward };
        [
            self.add_one(from, first, &others_first[line], toward_first, put),
            self.add_one(from, last, &others_last[line], toward_last, put),
        ]
    }

    /// Adds the leaf of one push, unless it is that of the last push, and returns the edge to it.
    #[inline(always)]
    fn add_one(
        &mut self,
        from: usize,
        pushed: PushedLine,
        others: &OtherLines,
        last_push: &mut LastPush,
        put: impl Fn(u32) -> u64,
    ) -> Edge {
        let PushedLine { line: to, term } = pushed;
        let is_legal = others.moves | (to as usize != from);
        let is_new = is_legal & (to != last_push.line);
        let leaf = if is_new { self.count } else { last_push.leaf };
        self.positions[self.count as usize] = Afterstate::new(others.board | put(to), self.hi);
        self.count += u32::from(is_new);
        *last_push = if is_legal { LastPush { line: to, leaf } } else { *last_push };
        let reward = self.reward_weight * ((term + others.neighbour) + others.pair);
        if is_legal { Edge { leaf, reward } } else { Edge { leaf: 0, reward: f32::NEG_INFINITY } }
    }
}

/// A board before a tile enters, prepared for the two pushes along one axis: those of the columns
/// if `IS_DOWN` is true, else those of the rows.
struct Axis<'a, const IS_DOWN: bool> {
    table: &'a [Row; ROWS],
    /// The lines along the axis.
    lines: u64,
    /// Toward the first cell and toward the last, for each line the result of pushing the other
    /// three.
    others: [[OtherLines; 4]; 2],
    /// See [`Leaves::beyond`].
    beyond: u32,
}

impl<'a, const IS_DOWN: bool> Axis<'a, IS_DOWN> {
    #[inline(always)]
    fn new(table: &'a [Row; ROWS], lines: u64) -> Self {
        let mut pushed = [[PushedLine::default(); 4]; 2];
        let mut beyond = 0;
        for line in 0..4 {
            let row = &table[(lines >> (16 * line) & 0xffff) as usize];
            pushed[0][line] = PushedLine { line: row.first, term: row.first_reward };
            pushed[1][line] = PushedLine { line: row.last, term: row.last_reward };
            beyond |= row.first | row.last;
        }
        let others = pushed.each_ref().map(|pushed| OtherLines::of_each(lines, pushed, Self::put));
        Self { table, lines, others, beyond }
    }

    #[inline(always)]
    fn line(&self, line: usize) -> usize {
        (self.lines >> (16 * line) & 0xffff) as usize
    }

    /// Returns a board whose only tiles are those of line number `line`: the 16 bits `to`.
    #[inline(always)]
    fn put(line: usize, to: u32) -> u64 {
        if IS_DOWN { spread(to as u16) << (4 * line) } else { u64::from(to) << (16 * line) }
    }
}
