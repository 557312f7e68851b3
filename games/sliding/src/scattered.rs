//! Games in which a random tile enters on a uniformly random empty cell after every push.

use crate::tables::Tables;
use crate::{Board, Direction, LineRule, check_sides, playouts, text};
use runner_core::rows::{Entries, Entry, RowTables, nth_set_bit};
use runner_core::{
    Action, Afterstate, BuildError, Description, Game, GameContext, GamePlugin, Outcome, Outcomes,
    Playout, Plugin, Random, State, Successor, Successors, TextError, scale,
};

/// The greatest number of start positions that are listed.
const MAX_STARTS: usize = 100_000;

/// The rules of such a game: line rule, name and parameters.
///
/// If tiles merge to their sum, the sum of the board is the game's layer ([`Game::layer`]),
/// which makes exact solvers faster.
pub trait Rules: LineRule + Plugin {
    /// Returns the setup for a configuration. [`Scattered::build`] validates the setup.
    fn setup(config: Self::Config) -> Result<Setup<Self>, BuildError>;
}

pub struct Setup<R> {
    /// Number of rows, one of [`SIDES`](crate::SIDES).
    pub rows: usize,
    /// Number of columns, one of [`SIDES`](crate::SIDES).
    pub cols: usize,
    pub rule: R,
    /// The tiles that enter. Their probabilities sum to 1 and may be 0.
    pub entries: Vec<Entry>,
    /// Number of tiles on the board before the first move; at least 1.
    pub start_tiles: usize,
    /// The displayed value of the tile that wins the game: any tile but the lowest.
    pub goal: u64,
}

/// A game whose tiles enter on random empty cells.
///
/// Its positions consist of the cells alone.
pub struct Scattered<R> {
    board: Board<R>,
    /// The game's rules as tables, for boards of up to 4 x 4.
    tables: Option<RowTables>,
    layer_is_sum: bool,
    entries: Entries,
    start_tiles: usize,
    description: Description,
}

impl<R: LineRule> Scattered<R> {
    /// Builds the game, or returns the parameter that is wrong and its range.
    pub fn build(setup: Setup<R>) -> Result<Self, BuildError> {
        let Setup { rows, cols, rule, mut entries, start_tiles, goal } = setup;
        check_sides(rows, cols)?;
        let cells = rows * cols;
        let free = cells - rule.blocked().len();
        if !(1..=free).contains(&start_tiles) {
            let kind = if free < cells { "free cells" } else { "cells" };
            let message = format!("{start_tiles} is not from 1 to {free}, the number of {kind}");
            return Err(BuildError::of("start_tiles", message));
        }
        let tiles: Vec<u64> = rule.values().into_iter().filter(|&value| value != 0).collect();
        if !tiles[1..].contains(&goal) {
            let tiles: Vec<String> = tiles[1..].iter().map(u64::to_string).collect();
            let message = format!("{goal} is not one of the tiles {}", tiles.join(", "));
            return Err(BuildError::of("goal", message));
        }

        entries.retain(|entry| entry.probability > 0.0);
        assert!(entries.iter().all(|entry| entry.rank < 16), "only low ranks can enter");
        let rewards_never_negative = rule.rewards_never_negative();
        let board = Board::new(rows, cols, rule);
        let layer_is_sum = board.keeps_sums();
        let tables = match &board.tables {
            Tables::Narrow { across, down } => Some(
                RowTables::new(rows, cols, across.clone(), down.clone(), entries.clone())
                    .with_layer_as_sum(layer_is_sum),
            ),
            Tables::Wide { .. } => None,
        };
        let description = Description {
            actions: Direction::ALL.map(|d| d.name().to_owned()).to_vec(),
            max_outcomes: cells * entries.len(),
            tiles,
            goal: Some(goal),
            rewards_never_negative,
            geometry: Some(board.geometry().clone()),
        };
        let entries = Entries::new(entries);
        Ok(Self { board, tables, layer_is_sum, entries, start_tiles, description })
    }

    pub fn board(&self) -> &Board<R> {
        &self.board
    }

    /// Lists all pushes without the row tables, for any rank. Not inlined, to keep the fast
    /// path small.
    #[inline(never)]
    fn push_all(&self, state: State, out: &mut Successors) {
        out.clear();
        for direction in Direction::ALL {
            if let Some(Successor { afterstate, reward, action }) = self.push(state, direction) {
                out.push(action, afterstate, reward);
            }
        }
    }

    #[inline(never)]
    fn push(&self, state: State, direction: Direction) -> Option<Successor> {
        let slide = self.board.slide(state.bits(), direction);
        let afterstate = Afterstate::from_bits(slide.bits);
        let action = direction.action();
        (slide.moved != 0).then_some(Successor { afterstate, reward: slide.reward, action })
    }

    /// Appends every way to place `tiles` more tiles on the cells of `empty`, each on a later
    /// cell than the one before.
    fn scatter(&self, from: Outcome, empty: u128, tiles: usize, out: &mut Vec<Outcome>) {
        if tiles == 0 {
            out.push(from);
            return;
        }
        let mut later = empty;
        while later != 0 {
            let cell = later.trailing_zeros();
            later &= later - 1;
            for entry in self.entries.list() {
                let bits = from.state.bits() | u128::from(entry.rank) << cell;
                let probability = from.probability * entry.probability;
                let next = Outcome { state: State::from_bits(bits), probability };
                self.scatter(next, later, tiles - 1, out);
            }
        }
    }
}

impl<R: LineRule> Game for Scattered<R> {
    fn description(&self) -> &Description {
        &self.description
    }

    fn start(&self, random: u64) -> State {
        let mut random = Random::from_word(random);
        (0..self.start_tiles).fold(State::from_bits(self.board.without_tiles()), |state, _| {
            self.spawn(Afterstate::from_bits(state.bits()), random.word())
        })
    }

    // Inlined into the plugin's entry point: a call would make it a tenth slower.
    #[inline(always)]
    fn successors(&self, state: State, out: &mut Successors) {
        if let Some(tables) = &self.tables
            && tables.successors(state, out)
        {
            return;
        }
        self.push_all(state, out);
    }

    #[inline]
    fn successor(&self, state: State, action: Action) -> Option<Successor> {
        let direction = Direction::of(action)?;
        if let Some(tables) = &self.tables
            && let Ok(successor) = tables.successor(state, action)
        {
            return successor;
        }
        self.push(state, direction)
    }

    fn outcomes(&self, afterstate: Afterstate, out: &mut Outcomes) {
        if let Some(tables) = &self.tables {
            return tables.outcomes(afterstate, out);
        }
        out.clear();
        let bits = afterstate.bits();
        let mut empty = self.board.empty(bits);
        let share = 1.0 / f64::from(empty.count_ones());
        while empty != 0 {
            let cell = empty.trailing_zeros();
            empty &= empty - 1;
            for entry in self.entries.list() {
                let state = State::from_bits(bits | u128::from(entry.rank) << cell);
                out.push(entry.probability * share, state);
            }
        }
    }

    #[inline]
    fn spawn(&self, afterstate: Afterstate, random: u64) -> State {
        if let Some(tables) = &self.tables {
            return tables.spawn(afterstate, random);
        }
        let bits = afterstate.bits();
        let empty = self.board.empty(bits);
        let n = scale((random >> 32) as u32, empty.count_ones());
        let low = (empty as u64).count_ones();
        let cell = if n < low {
            nth_set_bit(empty as u64, n)
        } else {
            64 + nth_set_bit((empty >> 64) as u64, n - low)
        };
        State::from_bits(bits | u128::from(self.entries.draw(random as u32)) << cell)
    }

    fn write(&self, state: State) -> String {
        self.board.write(state.bits())
    }

    fn write_afterstate(&self, afterstate: Afterstate) -> String {
        self.board.write(afterstate.bits())
    }

    fn parse(&self, text: &str) -> Result<State, TextError> {
        let bits = self.board.parse(text)?;
        // Stones have fixed cells.
        let stone = text::stone(self.board.geometry());
        let bare = self.board.without_tiles();
        let (written, set) = (self.board.ranks(bits), self.board.ranks(bare));
        let misplaced =
            |(written, set)| Some(written) == stone && set == 0 || written != set && set != 0;
        match written.zip(set).position(misplaced) {
            None => Ok(State::from_bits(bits)),
            Some(cell) => Err(TextError::new(
                text::place(self.board.geometry(), text, cell),
                format!("the stones of this game are at {}", self.board.write(bare)),
            )),
        }
    }

    fn starts(&self) -> Option<Vec<Outcome>> {
        // Choose the cells, then a tile for each: all positions are distinct.
        let bare = self.board.without_tiles();
        let empty = self.board.empty(bare);
        let cells = empty.count_ones() as usize;
        let places = (0..self.start_tiles).fold(1, |count, k| count * (cells - k) / (k + 1));
        let kinds = self.entries.list().len().checked_pow(self.start_tiles as u32)?;
        if places.checked_mul(kinds)? > MAX_STARTS {
            return None;
        }
        let nothing = Outcome { state: State::from_bits(bare), probability: 1.0 / places as f64 };
        let mut starts = Vec::with_capacity(places * kinds);
        self.scatter(nothing, empty, self.start_tiles, &mut starts);
        Some(starts)
    }

    fn max_tile(&self, state: State) -> Option<u64> {
        let rank = self.board.max_rank(state.bits());
        Some(self.board.geometry().values[usize::from(rank)])
    }

    fn layer(&self, state: State) -> Option<u64> {
        self.layer_is_sum.then(|| self.board.sum(state.bits()))
    }

    fn transform(&self, state: State, symmetry: usize) -> State {
        State::from_bits(self.board.transform(state.bits(), symmetry))
    }

    fn transform_afterstate(&self, afterstate: Afterstate, symmetry: usize) -> Afterstate {
        Afterstate::from_bits(self.board.transform(afterstate.bits(), symmetry))
    }

    fn tables(&self) -> Option<&RowTables> {
        self.tables.as_ref()
    }

    fn playouts(&self, starts: &[State], random: u64, results: &mut [Playout]) {
        match &self.tables {
            Some(tables) => playouts::play(self, tables, starts, random, results),
            None => runner_core::playouts::play(self, starts, random, results),
        }
    }
}

impl<R: Rules> Plugin for Scattered<R> {
    const NAME: &'static str = R::NAME;
    const ABOUT: &'static str = R::ABOUT;
    const VERSION: &'static str = R::VERSION;
    type Config = R::Config;
}

impl<R: Rules> Scattered<R> {
    pub fn new(config: R::Config) -> Result<Self, BuildError> {
        Self::build(R::setup(config)?)
    }
}

impl<R: Rules> GamePlugin for Scattered<R> {
    fn new(config: R::Config, _: &GameContext<'_>) -> Result<Self, BuildError> {
        Self::new(config)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slide_far;

    /// Far slides of tiles with the values 2 to 2^17.
    struct Doubling {
        /// A rank, and the rank that two of it make instead of the next.
        odd: Option<(u8, u8)>,
    }

    impl LineRule for Doubling {
        fn values(&self) -> Vec<u64> {
            (0..18).map(|rank| if rank == 0 { 0 } else { 1 << rank }).collect()
        }

        fn push(&self, line: &mut [u8]) -> f32 {
            slide_far(line, |a, b| {
                let made = match self.odd {
                    Some((merged, made)) if a == merged => made,
                    _ => a + 1,
                };
                (a == b && a < 17).then_some((made, 1.0))
            })
        }
    }

    fn game(rows: usize, cols: usize, odd: Option<(u8, u8)>) -> Scattered<Doubling> {
        let entries = vec![Entry { rank: 1, probability: 1.0 }];
        let rule = Doubling { odd };
        Scattered::build(Setup { rows, cols, rule, entries, start_tiles: 2, goal: 64 }).unwrap()
    }

    #[test]
    fn the_sum_is_the_layer_if_no_merge_changes_it() {
        let layer = |rows, cols, odd| {
            let game = game(rows, cols, odd);
            let layer = game.layer(game.start(1));
            let agrees = game.tables().is_none_or(|t| t.layer_is_sum() == layer.is_some());
            assert!(agrees, "game and tables differ");
            layer
        };
        for (rows, cols) in [(2, 2), (3, 4), (4, 4), (5, 2), (5, 5)] {
            assert_eq!(layer(rows, cols, None), Some(4));
            // Too low, too high, an empty cell, and a rank beyond the tables.
            for odd in [(1, 1), (1, 3), (1, 0), (16, 2)] {
                assert_eq!(layer(rows, cols, Some(odd)), None, "{odd:?} on {rows} x {cols}");
            }
        }
    }
}
