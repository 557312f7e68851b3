//! The game: its rules put together, and the player's moves.

use crate::bag::Bag;
use crate::config::{self, Config, Entry};
use crate::layout::{BONUS, Known, Moved, NEXT, cells};
use crate::tiles::{LEAST_FOR_BONUS, Merging, bonus_values, points};
use crate::{playouts, text};
use runner_core::board::{ExtraField, Geometry, stride};
use runner_core::{
    Action, Afterstate, BuildError, Description, Game, GameContext, GamePlugin, Outcome, Outcomes,
    Parameter, Playouts, Plugin, State, Successor, Successors, TextError,
};
use runner_sliding::{Board, Direction};

/// Threes as a [`Game`].
pub struct Threes {
    pub(crate) board: Board<Merging>,
    /// The bag when it is full.
    pub(crate) full: Bag,
    /// The next tile is a bonus once in so many times, where one is possible;
    /// 0 if there are none.
    pub(crate) bonus_odds: u32,
    pub(crate) start_tiles: usize,
    entry: Entry,
    /// The far edge of a push in each direction.
    edges: [Edge; 4],
    /// What becomes of lines under each symmetry.
    images: Vec<LineImages>,
    description: Description,
}

/// The cells at which tiles enter after a push in one direction.
#[derive(Clone, Copy)]
struct Edge {
    /// The lowest bit of the cell in line 0.
    first: u32,
    /// The distance to that of the next line.
    step: u32,
}

/// Line k of a push becomes line `[vertical][k]` under a symmetry.
type LineImages = [[u8; 5]; 2];

impl Threes {
    /// The bit at which a tile lies that enters in this line.
    #[inline(always)]
    pub(crate) fn entrance(&self, direction: Direction, line: u32) -> u32 {
        let Edge { first, step } = self.edges[direction.action().index()];
        first + line * step
    }

    /// Whether the board has a tile great enough for a bonus to be announced.
    #[inline(always)]
    pub(crate) fn is_ready_for_bonus(&self, bits: u128) -> bool {
        const { assert!(LEAST_FOR_BONUS == 7, "what follows looks for 7 and more") };
        const ONES: u128 = 0x1_1111_1111_1111_1111_1111_1111;
        // The fourth bit of a slot of 8 and more is set; adding 1 sets that of a 7.
        let cells = cells(bits);
        let eighth = (cells & (7 * ONES)) + ONES;
        (cells | eighth) & (8 * ONES) != 0
    }

    /// One push, if it moves anything.
    #[inline(always)]
    fn push(&self, state: State, direction: Direction) -> Option<Successor> {
        let bits = state.bits();
        let slide = self.board.slide(bits, direction);
        if slide.moved == 0 {
            return None;
        }
        let lines = match self.entry {
            Entry::MovedLines => slide.moved,
            Entry::FarEdge => self.free_lines(slide.bits, direction),
        };
        let is_bonus = Known::of(bits).next == BONUS;
        let greatest = if is_bonus { self.board.greatest_rank(bits) } else { 0 };
        let moved = Moved { greatest, direction, lines };
        Some(Successor {
            afterstate: Afterstate::from_bits(slide.bits | moved.bits()),
            reward: slide.reward,
            action: direction.action(),
        })
    }

    /// The lines whose cell at the far edge is empty.
    fn free_lines(&self, bits: u128, direction: Direction) -> u8 {
        let Geometry { rows, cols, .. } = *self.board.geometry();
        let lines = if direction.is_vertical() { cols } else { rows };
        let is_free = |line: usize| bits >> self.entrance(direction, line as u32) & 15 == 0;
        (0..lines).fold(0, |free, line| free | u8::from(is_free(line)) << line)
    }

    /// What all tiles on the board are worth.
    fn worth(&self, bits: u128) -> u32 {
        self.board.ranks(bits).map(points).sum()
    }
}

impl Game for Threes {
    fn description(&self) -> &Description {
        &self.description
    }

    fn start(&self, random: u64) -> State {
        self.draw_start(random)
    }

    #[inline]
    fn successors(&self, state: State, out: &mut Successors) {
        out.clear();
        for direction in Direction::ALL {
            if let Some(Successor { afterstate, reward, action }) = self.push(state, direction) {
                out.push(action, afterstate, reward);
            }
        }
    }

    #[inline]
    fn successor(&self, state: State, action: Action) -> Option<Successor> {
        self.push(state, Direction::of(action)?)
    }

    fn outcomes(&self, afterstate: Afterstate, out: &mut Outcomes) {
        self.list_outcomes(afterstate, out);
    }

    #[inline]
    fn spawn(&self, afterstate: Afterstate, random: u64) -> State {
        self.draw_outcome(afterstate, random)
    }

    #[inline]
    fn chance_reward(&self, from: Option<Afterstate>, to: State) -> f32 {
        let Some(from) = from else { return self.worth(to.bits()) as f32 };
        // The cell that was empty and is no longer.
        let entered = cells(from.bits() ^ to.bits());
        let rank = entered >> (entered.trailing_zeros() & !3);
        points(rank as u8 & 15) as f32
    }

    fn has_chance_rewards(&self) -> bool {
        true
    }

    fn starts(&self) -> Option<Vec<Outcome>> {
        self.list_starts()
    }

    fn write(&self, state: State) -> String {
        text::write(self, state)
    }

    fn write_afterstate(&self, afterstate: Afterstate) -> String {
        text::write_afterstate(self, afterstate)
    }

    fn parse(&self, text: &str) -> Result<State, TextError> {
        text::parse(self, text)
    }

    fn max_tile(&self, state: State) -> Option<u64> {
        let rank = self.board.greatest_rank(state.bits());
        Some(self.board.geometry().values[usize::from(rank)])
    }

    /// The sum of what tiles show: merges keep it, and every entry adds to it.
    fn layer(&self, state: State) -> Option<u64> {
        Some(self.board.sum(state.bits()))
    }

    fn playouts(&self, state: State, games: u64, random: u64) -> Playouts {
        let fast = match self.entry {
            Entry::MovedLines => playouts::play(self, state, games, random),
            Entry::FarEdge => None,
        };
        fast.unwrap_or_else(|| runner_core::playouts::play(self, state, games, random))
    }

    fn transform(&self, state: State, symmetry: usize) -> State {
        State::from_bits(self.board.transform(state.bits(), symmetry))
    }

    fn transform_afterstate(&self, afterstate: Afterstate, symmetry: usize) -> Afterstate {
        let bits = self.board.transform(afterstate.bits(), symmetry);
        let moved = Moved::of(bits);
        let image =
            self.board.geometry().symmetries[symmetry].actions[moved.direction.action().index()];
        let direction = Direction::of(image).expect("it maps directions to directions");
        let become_of = &self.images[symmetry][usize::from(moved.direction.is_vertical())];
        let lines = (0..5)
            .filter(|line| moved.lines >> line & 1 != 0)
            .fold(0, |lines, line| lines | 1 << become_of[line]);
        let shown = Moved { direction, lines, ..moved };
        Afterstate::from_bits(bits ^ moved.bits() ^ shown.bits())
    }
}

impl Plugin for Threes {
    const NAME: &'static str = "threes";
    const ABOUT: &'static str = "push by one cell, merge 1 and 2 and equal tiles from 3 on";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = Config;

    fn parameters() -> Vec<Parameter> {
        config::parameters()
    }
}

impl GamePlugin for Threes {
    fn new(config: Config, _: &GameContext<'_>) -> Result<Self, BuildError> {
        Self::new(config)
    }
}

impl Threes {
    /// Builds the game from its parameters.
    pub fn new(config: Config) -> Result<Self, BuildError> {
        config.check()?;
        let top = config.top_rank()?;
        let Config { rows, cols, bag, bonus, bonus_odds, entry, .. } = config;
        let board = Board::new(rows, cols, Merging { top });
        let geometry = board.geometry();
        let bonus = bonus && top >= LEAST_FOR_BONUS;
        // In one of the lines, one of the bonus values if it is one; then a bonus
        // or one of three tiles is announced.
        let most_tiles = if bonus { bonus_values(top) as usize } else { 1 };
        let max_outcomes = rows.max(cols) * most_tiles * (3 + usize::from(bonus));
        let extra_fields = vec![ExtraField { name: "next".to_owned(), bit: NEXT, bits: 2 }];
        let description = Description {
            actions: Direction::ALL.map(|d| d.name().to_owned()).to_vec(),
            max_outcomes,
            tiles: geometry.values[1..].to_vec(),
            goal: None,
            geometry: Some(Geometry { extra_fields, ..geometry.clone() }),
        };
        let images = (0..geometry.symmetries.len()).map(|k| line_images(geometry, k)).collect();
        Ok(Self {
            full: Bag::full(bag),
            bonus_odds: if bonus { bonus_odds } else { 0 },
            start_tiles: config.tiles_at_start(),
            entry,
            edges: Direction::ALL.map(|direction| far_edge(rows, cols, direction)),
            images,
            description,
            board,
        })
    }
}

fn far_edge(rows: usize, cols: usize, direction: Direction) -> Edge {
    let row = stride(rows, cols);
    let (first, step) = match direction {
        Direction::Up => ((rows - 1) * row, 1),
        Direction::Right => (0, row),
        Direction::Down => (0, 1),
        Direction::Left => (cols - 1, row),
    };
    Edge { first: 4 * first as u32, step: 4 * step as u32 }
}

fn line_images(geometry: &Geometry, symmetry: usize) -> LineImages {
    let symmetry = &geometry.symmetries[symmetry];
    [false, true].map(|vertical| {
        let direction = if vertical { Direction::Up } else { Direction::Left };
        let image = symmetry.actions[direction.action().index()];
        let becomes_vertical = Direction::of(image).is_some_and(Direction::is_vertical);
        let lines = if vertical { geometry.cols } else { geometry.rows };
        let mut images = [0; 5];
        for (line, image) in images[..lines].iter_mut().enumerate() {
            // Any cell of the line tells where the line comes to lie.
            let cell = if vertical { line } else { line * geometry.cols };
            let there = symmetry.cells.iter().position(|&from| usize::from(from) == cell);
            let there = there.expect("a symmetry moves every cell somewhere");
            let (row, col) = (there / geometry.cols, there % geometry.cols);
            *image = if becomes_vertical { col } else { row } as u8;
        }
        images
    })
}
