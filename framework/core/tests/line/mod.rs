//! A small game for tests: 2048 on a single row of three cells.
//!
//! It has everything that a game can offer: a board with a symmetry, chance rewards, listed starts,
//! layers and row tables.

// Each file of tests uses a part of this module.
#![allow(dead_code)]

use runner_core::geometry::{Geometry, Symmetry};
use runner_core::rows::{Entry, ROWS, Row, RowTables};
use runner_core::{
    Action, Afterstate, Agent, Description, Episode, Game, Outcome, Outcomes, Random, Seed, State,
    Successors, TextError, Turn, play,
};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

pub const RIGHT: Action = Action(1);
pub const LEFT: Action = Action(3);

/// The tiles that enter an empty cell: a 2 with probability 3/4, a 4 with 1/4.
pub const ENTRIES: [Entry; 2] =
    [Entry { rank: 1, probability: 0.75 }, Entry { rank: 2, probability: 0.25 }];

const CELLS: usize = 3;

/// The rules. The reward of a merge is the value of the new tile, and that of a chance event the
/// value of the tile that enters. At the start there is one tile.
#[derive(Clone)]
pub struct Line {
    pub description: Description,
    pub tables: RowTables,
}

impl Line {
    pub fn new() -> Self {
        let [up, right, down, left] = [0, 1, 2, 3].map(Action);
        let symmetries = vec![
            Symmetry { cells: vec![0, 1, 2], actions: vec![up, right, down, left] },
            Symmetry { cells: vec![2, 1, 0], actions: vec![up, left, down, right] },
        ];
        let values = (0..16).map(|rank| if rank == 0 { 0 } else { 1 << rank }).collect();
        let description = Description {
            actions: ["up", "right", "down", "left"].map(String::from).to_vec(),
            max_outcomes: 2 * CELLS,
            tiles: (1..16).map(|rank| 1 << rank).collect(),
            goal: Some(16),
            rewards_never_negative: true,
            geometry: Some(Geometry {
                rows: 1,
                cols: CELLS,
                values,
                symmetries,
                merges: (1..15).map(|rank| (rank, rank)).collect(),
                ..Geometry::default()
            }),
        };
        Self { description, tables: tables() }
    }
}

/// The row's ranks, from the left.
pub fn ranks(bits: u64) -> [u8; CELLS] {
    [0, 1, 2].map(|cell| (bits >> (4 * cell)) as u8 & 15)
}

pub fn bits(ranks: [u8; CELLS]) -> u64 {
    (0..CELLS).fold(0, |bits, cell| bits | u64::from(ranks[cell]) << (4 * cell))
}

pub fn state(ranks: [u8; CELLS]) -> State {
    State::new(bits(ranks), 0)
}

/// Returns the row after a push to the left, and the reward.
pub fn push_left(ranks: [u8; CELLS]) -> ([u8; CELLS], f32) {
    let mut tiles = ranks.into_iter().filter(|&rank| rank != 0).peekable();
    let (mut pushed, mut reward) = ([0; CELLS], 0.0);
    let mut cell = 0;
    while let Some(rank) = tiles.next() {
        pushed[cell] = rank;
        if tiles.next_if_eq(&rank).is_some() {
            pushed[cell] += 1;
            reward += f32::from(1u16 << pushed[cell]);
        }
        cell += 1;
    }
    (pushed, reward)
}

fn mirrored(mut ranks: [u8; CELLS]) -> [u8; CELLS] {
    ranks.reverse();
    ranks
}

fn tables() -> RowTables {
    let mut across = vec![Row::default(); ROWS];
    // Ranks of 14 and more cannot occur on three cells. Rows with them are not filled in.
    for (content, row) in across.iter_mut().enumerate().take(1 << (4 * CELLS)) {
        let content = ranks(content as u64);
        if content.iter().all(|&rank| rank < 14) {
            let (left, reward) = push_left(content);
            let (right, _) = push_left(mirrored(content));
            *row = Row {
                first: bits(left) as u32,
                last: bits(mirrored(right)) as u32,
                first_reward: reward,
                last_reward: reward,
            };
        }
    }
    // Columns have one cell, which no push moves.
    let down: Vec<Row> =
        (0..ROWS as u32).map(|c| Row { first: c, last: c, ..Row::default() }).collect();
    // A table is too large for a test thread's stack.
    let shared = |rows| Arc::from(Box::<[Row; ROWS]>::try_from(rows).expect("as many rows"));
    RowTables::new(1, CELLS, shared(across), shared(down), ENTRIES.to_vec()).with_layer_as_sum(true)
}

impl Game for Line {
    fn description(&self) -> &Description {
        &self.description
    }

    fn start(&self, random: u64) -> State {
        self.spawn(Afterstate::default(), random)
    }

    fn successors(&self, state: State, out: &mut Successors) {
        out.clear();
        let here = ranks(state.lo);
        let (from_right, reward) = push_left(mirrored(here));
        let right = mirrored(from_right);
        if right != here {
            out.push(RIGHT, Afterstate::new(bits(right), 0), reward);
        }
        let (left, reward) = push_left(here);
        if left != here {
            out.push(LEFT, Afterstate::new(bits(left), 0), reward);
        }
    }

    fn outcomes(&self, afterstate: Afterstate, out: &mut Outcomes) {
        out.clear();
        let here = ranks(afterstate.lo);
        let empty = here.iter().filter(|&&rank| rank == 0).count() as f64;
        for cell in (0..CELLS).filter(|&cell| here[cell] == 0) {
            for Entry { rank, probability } in ENTRIES {
                let mut next = here;
                next[cell] = rank;
                out.push(probability / empty, state(next));
            }
        }
    }

    fn spawn(&self, afterstate: Afterstate, random: u64) -> State {
        self.tables.spawn(afterstate, random)
    }

    fn write(&self, state: State) -> String {
        let value = |rank: u8| if rank == 0 { 0 } else { 1u32 << rank };
        ranks(state.lo).map(|rank| value(rank).to_string()).join(",")
    }

    fn write_afterstate(&self, afterstate: Afterstate) -> String {
        self.write(State::from_bits(afterstate.bits()))
    }

    fn parse(&self, text: &str) -> Result<State, TextError> {
        let mut ranks = [0; CELLS];
        // The byte at which the current tile begins.
        let mut at = 0;
        for (cell, tile) in text.split(',').enumerate() {
            let values = (0..=9).map(|rank| if rank == 0 { 0u32 } else { 1 << rank });
            let rank = values.map(|value| value.to_string()).position(|value| value == tile);
            let (Some(place), Some(rank)) = (ranks.get_mut(cell), rank) else {
                return Err(TextError::new(at, "three tiles up to 512 are expected"));
            };
            *place = rank as u8;
            at += tile.len() + 1;
        }
        if text.split(',').count() != CELLS {
            return Err(TextError::new(text.len(), "three tiles are expected"));
        }
        Ok(state(ranks))
    }

    fn chance_reward(&self, from: Option<Afterstate>, to: State) -> f32 {
        // The positions differ only by the tile that entered.
        let entered = to.lo ^ from.unwrap_or_default().lo;
        ranks(entered)
            .into_iter()
            .filter(|&rank| rank != 0)
            .map(|rank| f32::from(1u16 << rank))
            .sum()
    }

    fn has_chance_rewards(&self) -> bool {
        true
    }

    fn starts(&self) -> Option<Vec<Outcome>> {
        let mut out = Outcomes::with_capacity(self.description.max_outcomes);
        self.outcomes(Afterstate::default(), &mut out);
        Some(out.to_vec())
    }

    fn max_tile(&self, state: State) -> Option<u64> {
        ranks(state.lo).into_iter().max().filter(|&rank| rank > 0).map(|rank| 1 << rank)
    }

    fn layer(&self, state: State) -> Option<u64> {
        Some(ranks(state.lo).into_iter().filter(|&rank| rank > 0).map(|rank| 1 << rank).sum())
    }

    fn tables(&self) -> Option<&RowTables> {
        Some(&self.tables)
    }
}

/// Chooses a uniformly random legal action.
#[derive(Clone, Copy)]
pub struct AnyMove;

impl Agent for AnyMove {
    fn act<G: Game>(&mut self, _: &G, turn: &Turn<'_>) -> Option<Action> {
        let chosen = Random::from_word(turn.random).below(turn.successors.len() as u32);
        Some(turn.successors[chosen as usize].action)
    }
}

/// Plays game number `index` of seed 1.
pub fn episode(agent: &mut impl Agent, index: u64) -> Episode {
    play(&Line::new(), agent, &mut Random::stream(Seed(1), index), &AtomicBool::new(false))
}

/// The number of a game in which [`AnyMove`] makes more than four moves.
pub fn long() -> u64 {
    (0..).find(|&index| episode(&mut AnyMove, index).moves > 4).expect("one of very many")
}
