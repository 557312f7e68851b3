//! The last ply of a search over a sliding board whose value is a sum over its lines.
//!
//! A tile that enters changes one row and one column. Of the four pushes that follow,
//! two move rows and two move columns, each line by itself: all lines but the one with
//! the new tile are as they would be without it. So a push costs one look at what becomes
//! of a line, one at what that is worth, and one for each of the four lines that it
//! crosses. No position is written down, let alone handed to the game or the value.
//!
//! What comes out is, bit for bit, what the value says of each position.

use runner_core::lines::{FIRST_CELLS, LineValues, four, spread};
use runner_core::rows::{BEYOND, ROWS, Row, RowTables, transpose};
use runner_core::{Afterstate, State};
use std::sync::Arc;

/// The tables of a game and of a value, in the form in which the last ply needs them.
#[derive(Debug)]
pub struct LastPly {
    game: RowTables,
    value: LineValues,
    across: Arc<Lines>,
    down: Arc<Lines>,
    /// What can enter, and of that what is not rare.
    all: Vec<Entry>,
    likely: Vec<Entry>,
}

/// A tile that enters.
#[derive(Clone, Copy, Debug)]
struct Entry {
    rank: u64,
    probability: f64,
}

/// What is known of the lines of one direction.
#[derive(Debug)]
struct Lines {
    /// What becomes of each, pushed toward its first cell and toward its last.
    pushed: Box<[[u16; 2]; ROWS]>,
    /// One bit for each: whether the game must be asked about it, or about what it is
    /// with one more tile.
    unknown: Box<[u64; ROWS / 64]>,
}

impl LastPly {
    /// The last ply of this game and this value.
    pub fn new(game: &RowTables, value: &LineValues) -> Self {
        let (across, down) = game.tables();
        let ranks: Vec<u32> = game.entries().iter().map(|entry| u32::from(entry.rank)).collect();
        let is_square = Arc::ptr_eq(across, down);
        let across = Arc::new(Lines::new(across, &ranks));
        let down = if is_square { across.clone() } else { Arc::new(Lines::new(down, &ranks)) };
        let entry = |rank: u8, probability| Entry { rank: u64::from(rank), probability };
        let all = game.entries().iter().map(|e| entry(e.rank, e.probability)).collect();
        let likeliest = game.entries().iter().map(|e| e.probability).fold(0.0, f64::max);
        let likely = game.entries().iter().filter(|e| is_likely(e.probability, likeliest));
        let share: f64 = likely.clone().map(|e| e.probability).sum();
        let likely = likely.map(|e| entry(e.rank, e.probability / share)).collect();
        Self { game: game.clone(), value: value.clone(), across, down, all, likely }
    }

    /// Whether this is the last ply of such a game: games may share their tables, and
    /// differ in what enters.
    pub fn is_of(&self, game: &RowTables) -> bool {
        let ((across, down), (of_across, of_down)) = (self.game.tables(), game.tables());
        Arc::ptr_eq(across, of_across)
            && Arc::ptr_eq(down, of_down)
            && self.game.cells() == game.cells()
            && self.game.entries() == game.entries()
    }

    /// What can enter, or of that what is not `rare`.
    fn entries(&self, rare: bool) -> &[Entry] {
        if rare { &self.all } else { &self.likely }
    }

    /// The best that can be done after each tile that enters, or each but what is `rare`,
    /// if `is_last` of its probability; nothing where there is none, or where the game
    /// must be asked. A position without a move is worth `end`.
    #[inline]
    pub fn look(
        &self,
        afterstate: Afterstate,
        rare: bool,
        end: f32,
        is_last: impl Fn(f64) -> bool,
    ) -> Option<Looked> {
        let board = afterstate.lo;
        let mut empty = self.game.empty(afterstate);
        let share = 1.0 / f64::from(empty.count_ones());
        let entries = self.entries(rare);
        let last = entries.iter().filter(|entry| is_last(entry.probability * share));
        let ranks = last.fold(0u32, |ranks, entry| ranks | 1 << entry.rank);
        if ranks == 0 || empty == 0 || afterstate.hi != 0 {
            return None;
        }
        let turned = transpose(board);
        if self.across.is_unknown(board) || self.down.is_unknown(turned) {
            return None;
        }
        let (rows, columns) = self.value.tables();
        let across = Direction::new(&self.across, rows, columns, board);
        let down = Direction::new(&self.down, columns, rows, turned);
        let mut looked = Looked { sum: 0.0, probability: 0.0, positions: 0, ranks };
        while empty != 0 {
            let place = empty.trailing_zeros() as usize;
            let (row, column) = (place / 16, place % 16 / 4);
            for entry in entries.iter().filter(|entry| ranks >> entry.rank & 1 != 0) {
                let (mut best, positions) = (f32::NEG_INFINITY, &mut looked.positions);
                across.push(row, column, entry.rank, &self.value, &mut best, positions);
                down.push(column, row, entry.rank, &self.value, &mut best, positions);
                let worth = if best == f32::NEG_INFINITY { end } else { best };
                let probability = entry.probability * share;
                looked.sum += probability * f64::from(worth);
                looked.probability += probability;
            }
            empty &= empty - 1;
        }
        Some(looked)
    }

    /// Whether all that can enter, or all but what is `rare`, was looked at.
    pub fn is_all(&self, looked: &Looked, rare: bool) -> bool {
        self.entries(rare).iter().all(|entry| looked.ranks >> entry.rank & 1 != 0)
    }
}

/// What was found out of the last ply of some tiles that can enter.
#[derive(Clone, Copy, Debug, Default)]
pub struct Looked {
    /// What they add to the mean over all.
    pub sum: f64,
    /// How likely it is that one of them enters.
    pub probability: f64,
    /// How many positions were estimated.
    pub positions: u64,
    /// A bit for the rank of each.
    ranks: u32,
}

impl Looked {
    /// Whether what entered is among them.
    #[inline]
    pub fn has(&self, afterstate: Afterstate, state: State) -> bool {
        let entered = afterstate.lo ^ state.lo;
        let rank = entered >> (entered.trailing_zeros() & 60) & 15;
        self.ranks >> rank & 1 != 0
    }
}

/// Whether an outcome is not rare: at least half as likely as the likeliest.
pub fn is_likely(probability: f64, likeliest: f64) -> bool {
    probability >= likeliest / 2.0
}

impl Lines {
    fn new(rows: &[Row; ROWS], entries: &[u32]) -> Self {
        let is_beyond = |row: &Row| (row.first | row.last) & BEYOND != 0;
        let mut unknown = Box::new([0; ROWS / 64]);
        for (line, row) in rows.iter().enumerate() {
            let free = (0..4).map(|cell| 4 * cell).filter(|shift| line >> shift & 15 == 0);
            let with =
                |shift: u32| entries.iter().map(move |&rank| line | (rank as usize) << shift);
            if is_beyond(row) || free.flat_map(with).any(|line| is_beyond(&rows[line])) {
                unknown[line / 64] |= 1 << (line % 64);
            }
        }
        let pushed: Box<[[u16; 2]]> =
            rows.iter().map(|row| [row.first as u16, row.last as u16]).collect();
        Self { pushed: pushed.try_into().expect("it has so many lines"), unknown }
    }

    /// Whether one of four lines is unknown.
    #[inline(always)]
    fn is_unknown(&self, lines: u64) -> bool {
        let known = |shift: u32| {
            let line = (lines >> shift & 0xffff) as usize;
            self.unknown[line / 64] >> (line % 64) & 1 == 0
        };
        !(known(0) & known(16) & known(32) & known(48))
    }
}

/// A board before anything enters, as it is pushed both ways in one direction.
struct Direction<'a> {
    pushed: &'a [[u16; 2]; ROWS],
    along: &'a [f32; ROWS],
    across: &'a [f32; ROWS],
    /// The lines that are pushed.
    lines: u64,
    /// By line, what is the same for all tiles that enter there, toward the first cell
    /// and toward the last.
    others: [[Others; 2]; 4],
}

/// What a push makes of three lines.
#[derive(Clone, Copy, Default)]
struct Others {
    /// The lines that cross them, with room for the fourth.
    crossing: u64,
    /// What the fourth's neighbour is worth, by which it is added up, and the other two.
    neighbour: f32,
    pair: f32,
    /// Whether one of them moves.
    moves: bool,
}

impl<'a> Direction<'a> {
    #[inline(always)]
    fn new(table: &'a Lines, along: &'a [f32; ROWS], across: &'a [f32; ROWS], lines: u64) -> Self {
        let pushed = &*table.pushed;
        let mut others = [[Others::default(); 2]; 4];
        for toward in 0..2 {
            let [a, b, c, d] = [0, 16, 32, 48].map(|shift| {
                let line = (lines >> shift) as u16;
                (line, pushed[usize::from(line)][toward])
            });
            let crossing = spread(a.1) | spread(b.1) << 4 | spread(c.1) << 8 | spread(d.1) << 12;
            let worths = [a, b, c, d].map(|(_, line)| along[usize::from(line)]);
            let moved = [a, b, c, d].map(|(from, to)| from != to);
            for line in 0..4 {
                let [first, second] = [line ^ 2, line ^ 3].map(|k| (worths[k], moved[k]));
                others[line][toward] = Others {
                    crossing: crossing & !(FIRST_CELLS << (4 * line)),
                    neighbour: worths[line ^ 1],
                    pair: first.0 + second.0,
                    moves: moved[line ^ 1] | first.1 | second.1,
                };
            }
        }
        Self { pushed, along, across, lines, others }
    }

    /// Pushes the board both ways with a tile in one more cell, and keeps the best of what
    /// comes of it.
    #[inline(always)]
    fn push(
        &self,
        line: usize,
        cell: usize,
        rank: u64,
        value: &LineValues,
        best: &mut f32,
        positions: &mut u64,
    ) {
        let from = (self.lines >> (16 * line)) as u16 | (rank << (4 * cell)) as u16;
        for (to, others) in self.pushed[usize::from(from)].into_iter().zip(&self.others[line]) {
            let crossing = others.crossing | spread(to) << (4 * line);
            let along = (self.along[usize::from(to)] + others.neighbour) + others.pair;
            let worth = value.total(along, four(self.across, crossing));
            let is_legal = others.moves | (to != from);
            *best = best.max(if is_legal { worth } else { f32::NEG_INFINITY });
            *positions += u64::from(is_legal);
        }
    }
}
