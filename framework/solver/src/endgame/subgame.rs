//! A pattern with the rules of a game: its positions, their numbers, and the moves among them.

use super::bits::{filled, holders, pack, ranks_to_fifteen, unpack};
use super::index::{Cursor, Index};
use super::pattern::{Pattern, PatternError};
use runner_board::BoardGame;
use runner_board::narrow::{inverse, transform};
use runner_board::rows::{BEYOND, ROWS, Row, RowTables};
use runner_board::slots::{at_least, set_bits};
use runner_core::geometry::Geometry;
use runner_core::{Action, Afterstate, Game, State, Successors};
use std::fmt;
use std::iter::once;
use std::sync::Arc;

/// The rank of a large tile, which merges with nothing.
pub const LARGE: u8 = 15;

/// A pattern with the rules of a game.
///
/// A position is a board of slots of four bits, in which large tiles have rank 15.
pub struct SubGame {
    pub(crate) tables: RowTables,
    pub(crate) board: Geometry,
    /// The rank of the goal, and its size.
    goal: u8,
    goal_units: u32,
    /// By rank: its size in units of the smallest tile that enters.
    units: Vec<u32>,
    /// By rank, to the goal: the rewards of making it from the tiles that enter.
    points: Vec<f32>,
    pub(crate) index: Index,
    /// The slots of large tiles, of free cells, and where the goal counts.
    pub(crate) large: u64,
    free: u64,
    pub(crate) goal_slots: u64,
    /// The greatest sum of a position before a move from which play starts.
    pub(crate) start_units: u32,
}

/// The state of a sub-game after a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum After {
    /// The move has made the goal.
    Goal,
    /// The position with this number in the layer with its sum.
    At(u64),
}

impl fmt::Debug for SubGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SubGame").field("units", &self.units).finish_non_exhaustive()
    }
}

impl SubGame {
    /// Joins a pattern and a game.
    ///
    /// `name` names the game in errors.
    pub fn new(pattern: &Pattern, name: &str, game: &dyn Game) -> Result<Self, PatternError> {
        let wrong = |why: String| pattern.wrong(why);
        let description = game.description();
        let board = description.geometry.as_ref();
        let tables = game.row_tables().filter(|tables| tables.layer_is_sum());
        let (Some(board), Some(tables)) = (board, tables) else {
            return Err(wrong(format!(
                "it needs a board of up to 4 x 4 cells on which tiles slide, enter on any empty cell \
                 and keep their sum, which `{name}` is not"
            )));
        };
        let cells = pattern.cells(board)?;
        let goal = board.values.iter().position(|&value| value == pattern.goal && value != 0);
        let Some(goal) = goal.filter(|&goal| goal < usize::from(LARGE)) else {
            return Err(wrong(format!(
                "{} is no tile of `{name}` that can be a goal",
                pattern.goal
            )));
        };
        let all = (1u32 << board.cells()) - 1;
        // Where it counts in some cells only, it may be made elsewhere and moved there.
        let greatest = if cells.goal == all { goal - 1 } else { goal };
        let entries = tables.entries();
        let value = |rank: u8| board.values[usize::from(rank)];
        let unit = entries.iter().map(|entry| value(entry.rank)).fold(0, gcd);
        let units: Vec<u32> =
            (0..=greatest).map(|rank| (board.values[rank] / unit) as u32).collect();
        if entries.iter().any(|entry| usize::from(entry.rank) >= goal) {
            return Err(wrong(format!("the goal {} enters by chance", pattern.goal)));
        }
        let slots = |cells: u32| {
            let slot = |cell: usize| u64::from(cells >> cell & 1) << (4 * board.slot(cell));
            (0..board.cells()).fold(0, |slots, cell| slots | slot(cell))
        };
        let free = board.cells() - cells.large.count_ones() as usize;
        let index = Index::new(free, &units).ok_or_else(|| {
            wrong(format!("{free} free cells are too many for tiles up to {}", pattern.goal))
        })?;
        let sub_game = Self {
            index,
            tables: with_large_tiles(tables, board, greatest as u8).map_err(wrong)?,
            goal: goal as u8,
            goal_units: (pattern.goal / unit) as u32,
            start_units: (pattern.start_sum / unit) as u32,
            points: points(tables, board, goal),
            units,
            large: slots(cells.large),
            free: slots(all & !cells.large),
            goal_slots: slots(cells.goal),
            board: board.clone(),
        };
        if sub_game.always_moves_large_tiles() {
            return Err(wrong("its large tiles move whatever is played".to_owned()));
        }
        Ok(sub_game)
    }

    /// Returns true if every move of a board with the large tiles and one other moves a large one.
    fn always_moves_large_tiles(&self) -> bool {
        let mut moves = Successors::new();
        let mut stays = |board: u64| {
            self.tables.successors(State::new(board, 0), &mut moves);
            moves.iter().any(|next| self.has_large(next.afterstate.lo))
        };
        !set_bits(self.free).any(|slot| stays(filled(self.large) | 1 << slot))
    }

    /// Returns the number of all positions, of which play reaches a part.
    pub fn all(&self) -> u64 {
        (0..=self.index.greatest()).map(|sum| self.index.count(sum)).sum()
    }

    /// Returns the memory that a build needs at most: some layers with their values, and values of
    /// the positions before a move.
    pub fn memory(&self) -> u64 {
        let sums = 0..=self.index.greatest();
        let largest = sums.map(|sum| self.index.count(sum)).max().unwrap_or(0);
        let bytes = size_of::<u32>() + size_of::<f32>() + size_of::<u16>() + 1;
        largest * (self.step() as u64 * bytes as u64)
    }

    /// Returns the slots of a board of play that hold tiles as large as the goal or larger.
    #[inline(always)]
    pub(crate) fn large_of_play(&self, board: u64) -> u64 {
        at_least(board, self.goal) & self.tables.cells()
    }

    /// Returns the slots of large tiles without one that is as large as the goal: a goal tile that
    /// lies where it does not count is no large tile yet.
    pub(crate) fn other_large(&self, board: u64, large: u64) -> impl Iterator<Item = u64> + use<> {
        set_bits(holders(board, self.goal) & large).map(move |slot| large ^ 1 << slot)
    }

    /// Returns the tiles that enter: rank, size and probability.
    pub fn entries(&self) -> impl Iterator<Item = (u8, u32, f32)> + '_ {
        let entries = self.tables.entries().iter();
        entries.map(|e| (e.rank, self.units[usize::from(e.rank)], e.probability as f32))
    }

    /// Returns the size of the largest tile that enters.
    pub(crate) fn step(&self) -> usize {
        self.entries().map(|(_, units, _)| units as usize).max().unwrap_or(0)
    }

    #[inline(always)]
    fn has_large(&self, board: u64) -> bool {
        holders(board, LARGE) == self.large
    }

    /// Returns true if the goal lies where it counts.
    #[inline(always)]
    pub(crate) fn has_goal(&self, board: u64) -> bool {
        holders(board, self.goal) & self.goal_slots != 0
    }

    /// Returns the image of a board of play under a symmetry of its rectangle.
    pub(crate) fn image(&self, board: u64, symmetry: usize) -> u64 {
        transform(self.board.rows, self.board.cols, board, symmetry)
    }

    /// Returns the numbers of the symmetries of the board.
    pub(crate) fn symmetries(&self) -> std::ops::Range<usize> {
        0..if self.board.rows == self.board.cols { 8 } else { 4 }
    }

    /// Returns true if an action makes the goal on a board of play that shows the pattern in some
    /// orientation.
    pub(crate) fn makes_goal(&self, before: State, action: Action) -> bool {
        let board = ranks_to_fifteen(before.bits());
        let large = self.large_of_play(board);
        once(large).chain(self.other_large(board, large)).any(|large| {
            let before = board | filled(large);
            let mut moves = Successors::new();
            self.tables.successors(State::new(before, 0), &mut moves);
            let Some(after) = moves.of(action) else { return false };
            self.symmetries().any(|k| {
                let after = self.image(after.afterstate.lo, k);
                self.number(self.image(before, k)).is_some()
                    && self.has_large(after)
                    && self.has_goal(after)
            })
        })
    }

    /// Returns a board of play after the goal, and the rewards on the way; the symmetry turns it to
    /// the pattern. The goal has consumed free tiles of its sum, the largest first; the rest lie
    /// where they lay.
    pub(crate) fn after_goal(&self, from: Afterstate, symmetry: usize) -> (Afterstate, f32) {
        let image = |slots| self.image(slots, inverse(symmetry));
        let free = self.tables.cells() & !image(self.large);
        let mut board = from.lo;
        let (mut missing, mut points) = (self.goal_units, self.points[usize::from(self.goal)]);
        for rank in (1..=self.goal).rev() {
            let units = self.units.get(usize::from(rank)).copied().unwrap_or(self.goal_units);
            let mut slots = holders(from.lo, rank) & free;
            while slots != 0 && units <= missing {
                let slot = slots & slots.wrapping_neg();
                missing -= units;
                points -= self.points[usize::from(rank)];
                board &= !filled(slot);
                slots ^= slot;
            }
        }
        let places = image(self.goal_slots) & free;
        let places = [places & holders(board, 0), places, free & holders(board, 0)];
        let places = places.into_iter().find(|&places| places != 0).unwrap_or_default();
        let made = places & places.wrapping_neg();
        board = (board & !filled(made)) | (u64::from(self.goal) * made);
        (Afterstate { lo: board, ..from }, points.max(0.0))
    }

    /// Returns the sum and the number of a position in which the large tiles are where they may be.
    #[inline(always)]
    pub fn number(&self, board: u64) -> Option<(u32, u64)> {
        let code = || self.index.number(pack(board, filled(self.free)));
        self.has_large(board).then(code).flatten()
    }

    pub fn walk(&self, sum: u32) -> Walk<'_> {
        Walk { game: self, cursor: self.index.cursor(sum) }
    }
}

/// Finds positions of a layer by their numbers.
#[derive(Debug)]
pub struct Walk<'a> {
    game: &'a SubGame,
    pub(crate) cursor: Cursor<'a>,
}

impl Walk<'_> {
    /// Returns the position with a number. Numbers that ascend cost little.
    #[inline(always)]
    pub fn board(&mut self, number: u64) -> u64 {
        let code = self.cursor.content(number);
        filled(self.game.large) | unpack(code, filled(self.game.free))
    }

    /// Calls a function with the result of each move of a board of this walk. Moves that fail,
    /// because a large tile moves or a tile is too large, are left out.
    #[inline(always)]
    pub fn moves(&self, board: u64, mut call: impl FnMut(After)) {
        let large = filled(self.game.large);
        for after in self.game.tables.slide_all(board).boards {
            if after == board || after & large != large {
                continue;
            }
            if self.game.has_goal(after) {
                call(After::Goal);
            } else if let Some(number) = self.cursor.number(pack(after, filled(self.game.free))) {
                call(After::At(number));
            }
        }
    }
}

/// Returns true if two of the large tiles of a board of play are neighbours that merge. A pattern
/// has none.
pub(crate) fn merge_in(board: &Geometry, bits: u128, large: u64) -> bool {
    let Geometry { rows, cols, .. } = *board;
    let is_large = |cell| large >> (4 * board.slot(cell)) & 1 == 1;
    let rank = |cell| board.rank(bits, cell);
    let merge = |a, b| is_large(a) && is_large(b) && board.merge(rank(a), rank(b));
    (0..rows * cols).any(|cell| {
        (cell % cols + 1 < cols && merge(cell, cell + 1))
            || (cell / cols + 1 < rows && merge(cell, cell + cols))
    })
}

/// Returns, by rank up to the goal, the sum of the rewards of the merges that make a tile.
fn points(tables: &RowTables, board: &Geometry, goal: usize) -> Vec<f32> {
    let (across, down) = tables.tables();
    let rows = if board.cols > 1 { across } else { down };
    let mut points = vec![0.0; goal + 1];
    for made in 0..=goal {
        let mut pairs = (1..made).flat_map(|a| (1..=a).map(move |b| (a, b)));
        let sums = |&(a, b): &(usize, usize)| {
            board.merge(a as u8, b as u8) && board.values[a] + board.values[b] == board.values[made]
        };
        if let Some((a, b)) = pairs.find(sums) {
            points[made] = points[a] + points[b] + rows[a | b << 4].first_reward;
        }
    }
    points
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Returns the tables of a game with the rank [`LARGE`] for tiles that merge with nothing.
/// Ranks between the greatest of the free cells' and this are not used.
fn with_large_tiles(
    tables: &RowTables,
    board: &Geometry,
    greatest: u8,
) -> Result<RowTables, String> {
    // Ranks for up to four large tiles in a line: none of them merges with another or with a rank
    // of a free cell.
    let mut large: Vec<u8> = Vec::new();
    for rank in
        (greatest + 1..LARGE + 1).rev().filter(|&rank| usize::from(rank) < board.values.len())
    {
        let others = (0..=greatest).chain(large.iter().copied());
        if large.len() < 4 && others.into_iter().all(|other| !board.merge(rank, other)) {
            large.push(rank);
        }
    }
    if large.len() < 4 {
        return Err(
            "the game has fewer than four tiles above the goal that do not merge with each other"
                .to_owned(),
        );
    }
    let convert = |table: &[Row; ROWS], cells: usize| -> Arc<[Row; ROWS]> {
        let rows: Vec<Row> = (0..ROWS as u32)
            .map(|content| convert_row(table, content, cells, greatest, &large))
            .collect();
        let rows: Arc<[Row]> = rows.into();
        rows.try_into().expect("one row for each content")
    };
    let (across, down) = tables.tables();
    let entries = tables.entries().to_vec();
    let (across, down) = (convert(across, board.cols), convert(down, board.rows));
    Ok(RowTables::new(board.rows, board.cols, across, down, entries).with_carried_bits(0))
}

fn convert_row(table: &[Row; ROWS], content: u32, cells: usize, greatest: u8, large: &[u8]) -> Row {
    let still = Row { first: content, last: content, ..Row::default() };
    if u64::from(content) >= 1 << (4 * cells) {
        return still;
    }
    let (mut played, mut count) = (0, 0);
    for cell in 0..cells {
        let rank = (content >> (4 * cell)) as u8 & 15;
        let stand_in = match rank {
            rank if rank <= greatest => rank,
            LARGE => {
                count += 1;
                large[count - 1]
            }
            _ => return still,
        };
        played |= u32::from(stand_in) << (4 * cell);
    }
    let row = table[played as usize];
    let back = |result: u32| {
        if result & BEYOND != 0 {
            return content;
        }
        (0..cells).fold(0, |line, cell| {
            let rank = (result >> (4 * cell)) as u8 & 15;
            let rank = if large[..count].contains(&rank) { LARGE } else { rank };
            line | u32::from(rank) << (4 * cell)
        })
    };
    Row { first: back(row.first), last: back(row.last), ..row }
}
