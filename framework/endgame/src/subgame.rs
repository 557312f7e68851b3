//! A pattern with the rules of a game: its positions, their numbers, and the moves among them.

use crate::bits::{LOW, at_least, filled, holders, pack, ranks_to_fifteen, slots, unpack};
use crate::index::{Code, Cursor, Entered, Index};
use crate::pattern::{Cells, Pattern, PatternError};
use runner_board::BoardGame;
use runner_board::narrow::{inverse, transform};
use runner_board::rows::{BEYOND, ROWS, Row, RowTables};
use runner_core::geometry::Geometry;
use runner_core::{Action, Game, State, Successors};
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
    /// The rank of the goal, and its size.
    goal: u8,
    goal_units: u32,
    /// By rank: its size in units of the smallest tile that enters.
    units: Vec<u32>,
    /// By rank, to the goal: the rewards of making it from the tiles that enter.
    points: Vec<f32>,
    pub(crate) index: Index,
    /// By the set of slots with a large tile: the class, or [`NO_CLASS`].
    arrangements: Vec<u16>,
    classes: Vec<Class>,
    rows: usize,
    cols: usize,
    /// The greatest sum of a position before a move from which play starts.
    start_units: u32,
}

/// No class of large tiles.
const NO_CLASS: u16 = u16::MAX;

/// An arrangement of the large tiles.
#[derive(Debug)]
struct Class {
    /// The slots of large tiles, of the smallest of them, of free cells, and where the goal counts.
    large: u64,
    smallest: u64,
    free: u64,
    goal: u64,
}

/// The state of a sub-game after a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum After {
    /// The move has made the goal.
    Goal,
    /// A large tile has moved, or a tile is too large.
    Failed,
    /// The position with this number in the layer with its sum.
    At(u64),
}

impl fmt::Debug for SubGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SubGame")
            .field("units", &self.units)
            .field("classes", &self.classes.len())
            .finish_non_exhaustive()
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
        let everywhere = cells.iter().all(|cells| cells.goal == all);
        // Where it counts in some cells only, it may be made elsewhere and moved there.
        let greatest = if everywhere { goal - 1 } else { goal };
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
        let class = |&Cells { large, smallest, goal }: &Cells| Class {
            large: slots(large),
            smallest: slots(smallest),
            free: slots(all & !large),
            goal: slots(goal),
        };
        let classes: Vec<Class> = cells.iter().map(class).collect();
        let mut arrangements = vec![NO_CLASS; 1 << 16];
        for (number, class) in (0..).zip(&classes) {
            arrangements[pack(class.large, LOW) as usize] = number;
        }
        let free = board.cells() - cells[0].large.count_ones() as usize;
        let index = Index::new(free, &units);
        let index = index.ok_or_else(|| {
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
            arrangements,
            classes,
            rows: board.rows,
            cols: board.cols,
        };
        if sub_game.always_moves_large_tiles() {
            return Err(wrong("its large tiles move whatever is played".to_owned()));
        }
        Ok(sub_game)
    }

    /// Returns true if every move of a board with large tiles and one other moves a large one.
    fn always_moves_large_tiles(&self) -> bool {
        let mut moves = Successors::new();
        let mut stays = |board: u64| {
            self.tables.successors(State::new(board, 0), &mut moves);
            moves.iter().any(|next| self.class(next.afterstate.lo) != NO_CLASS)
        };
        !self.classes.iter().any(|class| {
            let free = (0..64).filter(|bit| class.free >> bit & 1 == 1);
            free.into_iter().any(|bit| stays(filled(class.large) | 1 << bit))
        })
    }

    /// Returns the number of positions of a layer, of which play reaches a part.
    pub fn count(&self, sum: u32) -> u64 {
        self.classes.len() as u64 * self.index.count(sum)
    }

    /// Returns the number of all positions, of which play reaches a part.
    pub fn all(&self) -> u64 {
        (0..=self.index.greatest()).map(|sum| self.count(sum)).sum()
    }

    /// Returns the memory that a build needs at most: some layers with their values, and values of the
    /// positions before a move.
    pub fn memory(&self) -> u64 {
        let largest = (0..=self.index.greatest()).map(|sum| self.count(sum)).max().unwrap_or(0);
        let bytes = size_of::<u32>() + size_of::<f32>() + size_of::<u16>() + 1;
        largest * (self.step() as u64 * bytes as u64)
    }

    pub fn start_units(&self) -> u32 {
        self.start_units
    }

    #[inline(always)]
    pub(crate) fn large_tiles(&self) -> u32 {
        self.classes[0].large.count_ones()
    }

    /// Returns the slots of a board of play that hold tiles as large as the goal or larger.
    #[inline(always)]
    pub(crate) fn large(&self, slots: u64) -> u64 {
        at_least(slots, self.goal) & self.tables.cells()
    }

    /// Returns the slots of large tiles without one that is as large as the goal: a goal tile that lies
    /// where it does not count is no large tile yet.
    pub(crate) fn other_large(&self, board: u64, large: u64) -> impl Iterator<Item = u64> + use<> {
        slots(holders(board, self.goal) & large).map(move |slot| large ^ 1 << slot)
    }

    /// Returns the tiles that enter: rank, size and probability.
    pub fn entries(&self) -> impl Iterator<Item = (u8, u32, f32)> + '_ {
        let entries = self.tables.entries().iter();
        entries.map(|e| (e.rank, self.units[usize::from(e.rank)], e.probability as f32))
    }

    pub(crate) fn goal_rank(&self) -> u8 {
        self.goal
    }

    /// Returns the size of a rank, up to the goal.
    pub(crate) fn units(&self, rank: u8) -> u32 {
        self.units.get(usize::from(rank)).copied().unwrap_or(self.goal_units)
    }

    /// Returns the rewards of making a tile, up to the goal, from the tiles that enter.
    pub(crate) fn points(&self, rank: u8) -> f32 {
        self.points[usize::from(rank)]
    }

    /// Returns the slots where the goal counts while the large tiles lie in these slots, and the slot of
    /// the smallest large tile, if only one is allowed.
    pub(crate) fn goal_slots(&self, large: u64) -> (u64, u64) {
        let class = &self.classes[usize::from(self.arrangements[pack(large, LOW) as usize])];
        (class.goal, class.smallest)
    }

    /// Returns the sets of slots in which the large tiles may lie.
    pub(crate) fn arrangements(&self) -> impl Iterator<Item = u64> + '_ {
        self.classes.iter().map(|class| class.large)
    }

    pub(crate) fn step(&self) -> usize {
        self.entries().map(|(_, units, _)| units as usize).max().unwrap_or(0)
    }

    /// Returns the sum of a position after a move, and the state of the sub-game.
    #[inline(always)]
    pub fn after(&self, board: u64) -> (u32, After) {
        let class = self.class(board);
        if class == NO_CLASS {
            return (0, After::Failed);
        }
        if holders(board, self.goal) & self.classes[usize::from(class)].goal != 0 {
            return (0, After::Goal);
        }
        match self.number_in(class, board) {
            Some((sum, number)) => (sum, After::At(number)),
            None => (0, After::Failed),
        }
    }

    /// Returns true if the smallest of the large tiles of a board of play, which lie in these slots, lies
    /// where the pattern has it. Symmetry `k` turns the board to the pattern.
    pub(crate) fn smallest_fits(&self, board: &Geometry, bits: u128, large: u64, k: usize) -> bool {
        let (_, smallest) = self.goal_slots(transform(self.rows, self.cols, large, k));
        let smallest = transform(self.rows, self.cols, smallest, inverse(k));
        let holds = |slots: u64, cell: &usize| slots >> (4 * board.slot(*cell)) & 1 == 1;
        let rank = |cell: usize| board.rank(bits, cell);
        let is_least = |place: usize| {
            (0..board.cells())
                .filter(|cell| holds(large, cell))
                .all(|cell| rank(cell) >= rank(place))
        };
        (0..board.cells()).find(|cell| holds(smallest, cell)).is_none_or(is_least)
    }

    /// Returns true if an action makes the goal on a board of play that shows the pattern in some
    /// orientation.
    pub(crate) fn makes_goal(&self, board: &Geometry, before: State, action: Action) -> bool {
        let bits = before.bits();
        let slots = ranks_to_fifteen(bits);
        let large = self.large(slots);
        once(large).chain(self.other_large(slots, large)).any(|large| {
            let before = slots | filled(large);
            let mut moves = Successors::new();
            self.tables.successors(State::new(before, 0), &mut moves);
            let Some(after) = moves.iter().find(|next| next.action == action) else { return false };
            let all = if board.rows == board.cols { 8 } else { 4 };
            (0..all).any(|k| {
                let image = |bits| transform(board.rows, board.cols, bits, k);
                self.number(image(before)).is_some()
                    && self.smallest_fits(board, bits, large, k)
                    && matches!(self.after(image(after.afterstate.lo)).1, After::Goal)
            })
        })
    }

    /// Returns the sum and the number of a position in which the large tiles are where they may be.
    #[inline(always)]
    pub fn number(&self, board: u64) -> Option<(u32, u64)> {
        let class = self.class(board);
        (class != NO_CLASS).then(|| self.number_in(class, board)).flatten()
    }

    /// Returns the class of the large tiles of a board.
    #[inline(always)]
    fn class(&self, board: u64) -> u16 {
        self.arrangements[pack(holders(board, LARGE), LOW) as usize]
    }

    #[inline(always)]
    fn number_in(&self, class: u16, board: u64) -> Option<(u32, u64)> {
        let free = self.classes[usize::from(class)].free;
        let (sum, number) = self.index.number(pack(board, filled(free)))?;
        Some((sum, u64::from(class) * self.index.count(sum) + number))
    }

    pub fn walk(&self, sum: u32) -> Walk<'_> {
        let (count, cursor) = (self.index.count(sum), self.index.cursor(sum));
        Walk { game: self, sum, count, class: 0, cursor, entered: Entered::default() }
    }
}

/// Finds positions of a layer by their numbers.
#[derive(Debug)]
pub struct Walk<'a> {
    game: &'a SubGame,
    sum: u32,
    count: u64,
    class: u64,
    cursor: Cursor<'a>,
    entered: Entered,
}

impl Walk<'_> {
    /// Returns the position with a number. Numbers that ascend cost little.
    #[inline(always)]
    pub fn board(&mut self, number: u64) -> u64 {
        let inner = self.inner(number);
        let class = &self.game.classes[self.class as usize];
        let code: Code = self.cursor.content(inner);
        filled(class.large) | unpack(code, filled(class.free))
    }

    /// Finds the class of a position, and returns its number in the class.
    #[inline(always)]
    fn inner(&mut self, number: u64) -> u64 {
        let inner = number.wrapping_sub(self.class * self.count);
        if inner < self.count {
            return inner;
        }
        self.class = number / self.count;
        number % self.count
    }

    /// Calls a function with the result of each move of a board of this walk, the last it has returned.
    /// Moves that fail are left out.
    #[inline(always)]
    pub fn moves(&self, board: u64, mut call: impl FnMut(After)) {
        for after in self.game.tables.slide_all(board).boards {
            if after != board {
                let after = self.after(after);
                if after != After::Failed {
                    call(after);
                }
            }
        }
    }

    /// Returns the state of the sub-game after a move of a board of this walk. The large tiles mostly stay,
    /// and with them the class.
    #[inline(always)]
    fn after(&self, board: u64) -> After {
        let class = &self.game.classes[self.class as usize];
        let large = filled(class.large);
        if board & large != large {
            return self.game.after(board).1;
        }
        if holders(board, self.game.goal) & class.goal != 0 {
            return After::Goal;
        }
        match self.cursor.number(pack(board, filled(class.free))) {
            Some(number) => After::At(self.class * self.count + number),
            None => After::Failed,
        }
    }

    /// Calls a function for each empty cell of a position and each tile, given by rank and size, that may
    /// enter there: with the place of the tile in their list, and with the number of the board that has
    /// it. Returns the number of empty cells. The tiles are the same in all calls.
    #[inline(always)]
    pub fn entered(
        &mut self,
        number: u64,
        tiles: &[(u8, u32)],
        mut call: impl FnMut(usize, u64),
    ) -> usize {
        let inner = self.inner(number);
        let (game, sum, class) = (self.game, self.sum, self.class);
        let call = |tile: usize, inner: u64| {
            call(tile, class * game.index.count(sum + tiles[tile].1) + inner);
        };
        self.cursor.entered(inner, tiles, &mut self.entered, call)
    }
}

/// Returns true if two of the large tiles of a board of play are neighbours that merge. A pattern has
/// none.
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
    // Ranks for up to four large tiles in a line: none of them merges with another or with a rank of
    // a free cell.
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
