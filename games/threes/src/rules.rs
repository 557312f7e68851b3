//! The rules of a game: moves, entry cells and the description.

use crate::bag::Bag;
use crate::config::{Bonus, Config, Entry};
use crate::layout::{Announcement, BAG, BONUS, BONUS_BIT, LastMove, NEXT, cells};
use crate::tiles::{
    MIN_BONUS_RANK, Merging, bonus_rank, bonus_sets, bonus_values, points, set_ranks, set_text,
};
use runner_core::geometry::{ExtraField, Geometry, stride};
use runner_core::{Afterstate, BuildError, Description, State, Successor};
use runner_sliding::{Board, Direction};
use std::ops::Range;

pub struct Threes {
    pub(crate) board: Board<Merging>,
    pub(crate) full: Bag,
    /// A bonus, where possible, has the probability of 1 in this number; 0 for a game without
    /// bonuses.
    pub(crate) bonus_odds: u32,
    /// True if a bonus is announced as a set of tiles.
    pub(crate) shows_set: bool,
    pub(crate) start_tiles: usize,
    pub(crate) entry: Entry,
    /// The far edge of a push in each direction, where tiles enter.
    edges: [Edge; 4],
    pub(crate) images: Vec<LineImages>,
    pub(crate) description: Description,
}

/// The cells at which tiles enter after a push in one direction.
#[derive(Clone, Copy)]
struct Edge {
    /// The lowest bit of the cell in line 0.
    first: u32,
    /// The distance to that of the next line.
    step: u32,
}

/// The images of lines under a symmetry: line k becomes line `[vertical][k]`.
pub(crate) type LineImages = [[u8; 5]; 2];

impl Threes {
    pub fn new(config: Config) -> Result<Self, BuildError> {
        let top = config.top_rank()?;
        config.check_start_tiles()?;
        let Config { rows, cols, bag, bonus, bonus_odds, entry, .. } = config;
        let board = Board::new(rows, cols, Merging { top });
        let values = bonus_values(top);
        let geometry = board.geometry();
        let shows_set = bonus == Bonus::Set;
        let has_bonus = bonus != Bonus::None && top >= MIN_BONUS_RANK;
        // The tile enters in one of the lines and, if it is a bonus, has one of several values;
        // then one of three tiles is announced, or a bonus, as one of several sets or without.
        let sets = bonus_sets(values);
        let (max_tiles, bonuses) = match (has_bonus, shows_set) {
            (false, _) => (1, 0),
            (true, true) => (*sets.start(), sets.end() - sets.start() + 1),
            (true, false) => (values, 1),
        };
        let max_outcomes = rows.max(cols) * (max_tiles * (3 + bonuses)) as usize;
        let labels = ["1", "2", "3", "bonus"].map(str::to_owned).to_vec();
        let mut extra_fields =
            vec![ExtraField { name: "next".to_owned(), bit: NEXT, bits: 2, labels }];
        if has_bonus && shows_set {
            // Number 0 is that of a tile from the bag.
            let labels = (0..=values).map(set_text).collect();
            let name = "bonus".to_owned();
            extra_fields.push(ExtraField { name, bit: BONUS_BIT, bits: 4, labels });
        }
        let counted_fields = [("ones", 0), ("twos", 4), ("threes", 8)].map(|(name, bit)| {
            ExtraField { name: name.to_owned(), bit: BAG + bit, bits: 4, labels: vec![] }
        });
        let description = Description {
            actions: Direction::ALL.map(|d| d.name().to_owned()).to_vec(),
            max_outcomes,
            tiles: geometry.values[1..].to_vec(),
            goal: None,
            rewards_never_negative: true,
            geometry: Some(Geometry {
                extra_fields,
                counted_fields: counted_fields.into(),
                ..geometry.clone()
            }),
        };
        let images = (0..geometry.symmetries.len()).map(|k| images_of_lines(geometry, k)).collect();
        Ok(Self {
            full: Bag::full(bag),
            bonus_odds: if has_bonus { bonus_odds } else { 0 },
            shows_set,
            start_tiles: config.tiles_at_start(),
            entry,
            edges: Direction::ALL.map(|direction| far_edge(rows, cols, direction)),
            images,
            description,
            board,
        })
    }

    /// Returns the lowest bit of the cell at which a tile enters in this line.
    #[inline(always)]
    pub(crate) fn entry_bit(&self, direction: Direction, line: u32) -> u32 {
        let Edge { first, step } = self.edges[direction.action().index()];
        first + line * step
    }

    /// Returns true if the max tile is great enough for a bonus to be announced.
    #[inline(always)]
    pub(crate) fn allows_bonus(&self, bits: u128) -> bool {
        const { assert!(MIN_BONUS_RANK == 7, "the bit tricks below test for ranks of 7 and more") };
        const ONES: u128 = 0x1_1111_1111_1111_1111_1111_1111;
        // The fourth bit of a rank of 8 and more is set; adding 1 sets that of a 7.
        let cells = cells(bits);
        let eighth = (cells & (7 * ONES)) + ONES;
        (cells | eighth) & (8 * ONES) != 0
    }

    #[inline(always)]
    pub(crate) fn push(&self, state: State, direction: Direction) -> Option<Successor> {
        let bits = state.bits();
        let slide = self.board.slide(bits, direction);
        if slide.moved == 0 {
            return None;
        }
        let lines = match self.entry {
            Entry::MovedLines => slide.moved,
            Entry::FarEdge => self.free_lines(slide.bits, direction),
        };
        let needs_max_rank = Announcement::of(bits).next == BONUS && !self.shows_set;
        let max_rank = if needs_max_rank { self.board.max_rank(bits) } else { 0 };
        let moved = LastMove { direction, lines }.bits() | u128::from(max_rank) << BONUS_BIT;
        Some(Successor {
            afterstate: Afterstate::from_bits(slide.bits | moved),
            reward: slide.reward,
            action: direction.action(),
        })
    }

    /// Returns the ranks of the tiles that an announced bonus may be.
    pub(crate) fn bonus_ranks(&self, known: Announcement) -> Range<u8> {
        if self.shows_set {
            set_ranks(known.bonus)
        } else {
            bonus_rank(0)..bonus_rank(bonus_values(known.bonus as u8))
        }
    }

    /// Returns the lines whose cell at the far edge is empty.
    fn free_lines(&self, bits: u128, direction: Direction) -> u8 {
        let Geometry { rows, cols, .. } = *self.board.geometry();
        let lines = if direction.is_vertical() { cols } else { rows };
        let is_free = |line: usize| bits >> self.entry_bit(direction, line as u32) & 15 == 0;
        (0..lines).fold(0, |free, line| free | u8::from(is_free(line)) << line)
    }

    pub(crate) fn score(&self, bits: u128) -> u32 {
        self.board.ranks(bits).map(points).sum()
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

fn images_of_lines(geometry: &Geometry, symmetry: usize) -> LineImages {
    let symmetry = &geometry.symmetries[symmetry];
    [false, true].map(|vertical| {
        let direction = if vertical { Direction::Up } else { Direction::Left };
        let image = symmetry.actions[direction.action().index()];
        let becomes_vertical = Direction::of(image).is_some_and(Direction::is_vertical);
        let lines = if vertical { geometry.cols } else { geometry.rows };
        let mut images = [0; 5];
        for (line, image) in images[..lines].iter_mut().enumerate() {
            // The image of any cell of a line determines the image of the line.
            let cell = if vertical { line } else { line * geometry.cols };
            let place = symmetry.cells.iter().position(|&from| usize::from(from) == cell);
            let there = place.expect("a symmetry maps every cell to a cell");
            let (row, col) = (there / geometry.cols, there % geometry.cols);
            *image = if becomes_vertical { col } else { row } as u8;
        }
        images
    })
}
