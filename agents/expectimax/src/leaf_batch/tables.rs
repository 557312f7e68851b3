//! Leaves on a sliding board, from the tables of its game.
//!
//! A tile that enters changes one row and one column, and lines move independently. So the board is
//! pushed once without it, and each leaf is one of the four results with another line. Tiles that
//! enter next to each other are pushed to the same cell, so the leaf of an empty cell often is that
//! of the empty cell before it.

use super::LeafBatch;
use crate::other_lines::OtherLines;
use runner_core::Afterstate;
use runner_core::lines::spread;
use runner_core::rows::{BEYOND, ROWS, Row, RowTables, transpose};

/// The result of the last legal push of a line with a certain tile in it, and its leaf.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pushed {
    line: u32,
    leaf: u32,
}

impl Pushed {
    /// No push has this result.
    const NONE: Self = Self { line: u32::MAX, leaf: 0 };
}

impl LeafBatch {
    /// Fills the batch with the outcomes of an afterstate whose probability `has_leaves` accepts, and
    /// returns a bit for the rank of each tile that enters in them. Returns `None` if there are none,
    /// or if the game must be asked; the batch must then be filled anew.
    #[inline(always)]
    pub fn fill_from_tables(
        &mut self,
        game: &RowTables,
        afterstate: Afterstate,
        reward_weight: f32,
        has_leaves: impl Fn(f64) -> bool,
    ) -> Option<u32> {
        let mut empty = game.empty(afterstate);
        let share = 1.0 / f64::from(empty.count_ones());
        let mut ranks = 0u32;
        for entry in game.entries() {
            ranks |= u32::from(has_leaves(entry.probability * share)) << entry.rank;
        }
        if ranks == 0 || empty == 0 || afterstate.hi & !game.carried_bits() != 0 {
            return None;
        }
        let entering = || game.entries().iter().filter(|entry| ranks >> entry.rank & 1 != 0);
        let tiles = entering().count();
        let edge_count = 4 * tiles * empty.count_ones() as usize;
        self.clear();
        self.edges.resize(edge_count, (0, 0.0));
        // One more, because a leaf is written before it is known to be new.
        self.positions.resize(edge_count + 1, afterstate);
        self.before.clear();
        self.before.resize(tiles, [[[Pushed::NONE; 2]; 4]; 2]);

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
            for (entry, [rows, columns]) in entering().zip(&mut self.before) {
                let (edges, rest) = unfilled.split_first_mut()?;
                unfilled = rest;
                let rank = usize::from(entry.rank);
                let [left, right] = leaves.add(&across, row, column, rank, &mut rows[row]);
                let [up, down] = leaves.add(&down, column, row, rank, &mut columns[column]);
                *edges = [left, right, up, down];
                let end = 4 * (self.outcomes.len() as u32 + 1);
                self.outcomes.push((entry.probability * share, end));
            }
        }
        let Leaves { count, beyond, .. } = leaves;
        self.positions.truncate(count as usize);
        if count == 0 {
            // Edges of illegal actions name the first leaf, and there is none.
            self.edges.clear();
            self.outcomes.iter_mut().for_each(|(_, end)| *end = 0);
        }
        (beyond & BEYOND == 0).then_some(ranks)
    }
}

/// The leaves of a batch that is filled.
struct Leaves<'a> {
    positions: &'a mut [Afterstate],
    count: u32,
    /// The second word of all positions.
    hi: u64,
    reward_weight: f32,
    /// The bits of all pushed lines.
    beyond: u32,
}

impl Leaves<'_> {
    /// Adds the leaves of both pushes along an axis after a tile has entered a cell of a line, and
    /// returns their edges. `first` and `last` are the results for the previous empty cell of the
    /// line, pushed toward the first and toward the last cell.
    #[inline(always)]
    fn add<const IS_DOWN: bool>(
        &mut self,
        axis: &Axis<'_, IS_DOWN>,
        line: usize,
        cell: usize,
        rank: usize,
        [first, last]: &mut [Pushed; 2],
    ) -> [(u32, f32); 2] {
        let from = axis.line(line) | rank << (4 * cell);
        let row = &axis.table[from];
        self.beyond |= row.first | row.last;
        let [toward_first, toward_last] = &axis.others;
        let put = |line_after| Axis::<IS_DOWN>::put(line, line_after);
        [
            self.add_one(from, row.first, row.first_reward, &toward_first[line], first, put),
            self.add_one(from, row.last, row.last_reward, &toward_last[line], last, put),
        ]
    }

    #[inline(always)]
    fn add_one(
        &mut self,
        from: usize,
        to: u32,
        reward: f32,
        others: &OtherLines,
        before: &mut Pushed,
        put: impl Fn(u32) -> u64,
    ) -> (u32, f32) {
        let is_legal = others.moves | (to as usize != from);
        let is_new = is_legal & (to != before.line);
        let leaf = if is_new { self.count } else { before.leaf };
        self.positions[self.count as usize] = Afterstate::new(others.board | put(to), self.hi);
        self.count += u32::from(is_new);
        *before = if is_legal { Pushed { line: to, leaf } } else { *before };
        let reward = self.reward_weight * ((reward + others.neighbour) + others.pair);
        if is_legal { (leaf, reward) } else { (0, f32::NEG_INFINITY) }
    }
}

/// A board before a tile enters, prepared for the two pushes along one axis.
struct Axis<'a, const IS_DOWN: bool> {
    table: &'a [Row; ROWS],
    lines: u64,
    /// Toward the first cell and toward the last, for each line the result of pushing the other three.
    others: [[OtherLines; 4]; 2],
    /// The bits of all pushed lines.
    beyond: u32,
}

impl<'a, const IS_DOWN: bool> Axis<'a, IS_DOWN> {
    #[inline(always)]
    fn new(table: &'a [Row; ROWS], lines: u64) -> Self {
        let mut pushed = [[(0, 0.0); 4]; 2];
        let mut beyond = 0;
        for line in 0..4 {
            let row = &table[(lines >> (16 * line) & 0xffff) as usize];
            pushed[0][line] = (row.first, row.first_reward);
            pushed[1][line] = (row.last, row.last_reward);
            beyond |= row.first | row.last;
        }
        let others = pushed.each_ref().map(|pushed| OtherLines::of_each(lines, pushed, Self::put));
        Self { table, lines, others, beyond }
    }

    #[inline(always)]
    fn line(&self, line: usize) -> usize {
        (self.lines >> (16 * line) & 0xffff) as usize
    }

    /// Returns a board with one line.
    #[inline(always)]
    fn put(line: usize, to: u32) -> u64 {
        if IS_DOWN { spread(to as u16) << (4 * line) } else { u64::from(to) << (16 * line) }
    }
}
