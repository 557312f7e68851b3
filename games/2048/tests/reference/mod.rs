//! 2048 as slowly and plainly as it can be told: the displayed values of all
//! cells, row by row, and one push, to the left. Every other push is this one on
//! a board that was turned.
//!
//! Its positions are its own as well: five bits for each cell in turn.
#![allow(dead_code)] // Each test uses a part of it.

use runner_core::{
    Action, Afterstate, Description, Game, Outcomes, Random, State, Successors, TextError,
};

/// The displayed values, row by row.
pub type Board = Vec<Vec<u64>>;

/// The rules, on boards of one size.
pub struct Reference {
    pub rows: usize,
    pub cols: usize,
    /// How likely a 4 enters.
    pub four: f64,
    description: Description,
}

impl Reference {
    pub fn new(rows: usize, cols: usize, four: f64) -> Self {
        let actions = ["up", "right", "down", "left"].map(str::to_owned).to_vec();
        let max_outcomes = 2 * rows * cols;
        let description =
            Description { actions, max_outcomes, tiles: Vec::new(), goal: None, geometry: None };
        Self { rows, cols, four, description }
    }

    /// All legal moves: the action, the board after it, the reward.
    pub fn moves(&self, board: &Board) -> Vec<(usize, Board, u64)> {
        let all = [up(board), right(board), down(board), left(board)];
        let all =
            all.into_iter().enumerate().map(|(action, (after, reward))| (action, after, reward));
        all.filter(|(_, after, _)| after != board).collect()
    }

    /// All that can follow a move, with probabilities.
    pub fn spawns(&self, board: &Board) -> Vec<(f64, Board)> {
        let cells = (0..self.rows).flat_map(|row| (0..self.cols).map(move |col| (row, col)));
        let empty: Vec<_> = cells.filter(|&(row, col)| board[row][col] == 0).collect();
        let mut all = Vec::new();
        for &(row, col) in &empty {
            for (tile, probability) in [(2, 1.0 - self.four), (4, self.four)] {
                if probability > 0.0 {
                    let mut next = board.clone();
                    next[row][col] = tile;
                    all.push((probability / empty.len() as f64, next));
                }
            }
        }
        all
    }

    /// The number of sequences of so many moves and spawns.
    pub fn perft(&self, board: &Board, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        let mut count = 0;
        for (_, after, _) in self.moves(board) {
            for (_, next) in self.spawns(&after) {
                count += self.perft(&next, depth - 1);
            }
        }
        count
    }

    /// A board on which each cell is empty or holds a tile up to 2^`top`.
    pub fn random_board(&self, top: u32, random: &mut Random) -> Board {
        let mut cell = || match random.below(top + 1) {
            0 => 0,
            rank => 1 << rank,
        };
        (0..self.rows).map(|_| (0..self.cols).map(|_| cell()).collect()).collect()
    }

    fn decode(&self, bits: u128) -> Board {
        let value = |cell: usize| match bits >> (5 * cell) & 31 {
            0 => 0,
            rank => 1 << rank,
        };
        let row = |row: usize| (0..self.cols).map(|col| value(row * self.cols + col)).collect();
        (0..self.rows).map(row).collect()
    }

    fn encode(&self, board: &Board) -> u128 {
        let values = board.iter().flatten().enumerate();
        values
            .filter(|(_, value)| **value != 0)
            .fold(0, |bits, (cell, value)| bits | u128::from(value.trailing_zeros()) << (5 * cell))
    }
}

/// Pushes one row to the left.
fn push(row: &[u64]) -> (Vec<u64>, u64) {
    let tiles: Vec<u64> = row.iter().copied().filter(|&tile| tile != 0).collect();
    let mut pushed = Vec::new();
    let mut reward = 0;
    let mut i = 0;
    while i < tiles.len() {
        if i + 1 < tiles.len() && tiles[i] == tiles[i + 1] && tiles[i] < 131_072 {
            pushed.push(2 * tiles[i]);
            reward += 2 * tiles[i];
            i += 2;
        } else {
            pushed.push(tiles[i]);
            i += 1;
        }
    }
    pushed.resize(row.len(), 0);
    (pushed, reward)
}

fn left(board: &Board) -> (Board, u64) {
    let rows: Vec<_> = board.iter().map(|row| push(row)).collect();
    let reward = rows.iter().map(|(_, reward)| reward).sum();
    (rows.into_iter().map(|(row, _)| row).collect(), reward)
}

fn right(board: &Board) -> (Board, u64) {
    let (pushed, reward) = left(&mirrored(board));
    (mirrored(&pushed), reward)
}

fn up(board: &Board) -> (Board, u64) {
    let (pushed, reward) = left(&transposed(board));
    (transposed(&pushed), reward)
}

fn down(board: &Board) -> (Board, u64) {
    let (pushed, reward) = right(&transposed(board));
    (transposed(&pushed), reward)
}

fn mirrored(board: &Board) -> Board {
    board.iter().map(|row| row.iter().rev().copied().collect()).collect()
}

fn transposed(board: &Board) -> Board {
    (0..board[0].len()).map(|col| board.iter().map(|row| row[col]).collect()).collect()
}

/// The board as text.
pub fn text(board: &Board) -> String {
    let row = |row: &Vec<u64>| row.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
    board.iter().map(row).collect::<Vec<_>>().join("/")
}

/// The board that a text tells.
pub fn board(text: &str) -> Board {
    let cell = |cell: &str| cell.parse().expect("a number");
    text.split('/').map(|row| row.split(',').map(cell).collect()).collect()
}

impl Game for Reference {
    fn description(&self) -> &Description {
        &self.description
    }

    fn start(&self, random: u64) -> State {
        let mut random = Random::from_word(random);
        let first = self.spawn(Afterstate::default(), random.word());
        self.spawn(Afterstate::from_bits(first.bits()), random.word())
    }

    fn successors(&self, state: State, out: &mut Successors) {
        out.clear();
        for (action, after, reward) in self.moves(&self.decode(state.bits())) {
            let afterstate = Afterstate::from_bits(self.encode(&after));
            out.push(Action(action as u8), afterstate, reward as f32);
        }
    }

    fn outcomes(&self, afterstate: Afterstate, out: &mut Outcomes) {
        out.clear();
        for (probability, next) in self.spawns(&self.decode(afterstate.bits())) {
            out.push(probability, State::from_bits(self.encode(&next)));
        }
    }

    fn spawn(&self, afterstate: Afterstate, random: u64) -> State {
        let mut random = random as f64 / (1u128 << 64) as f64;
        let all = self.spawns(&self.decode(afterstate.bits()));
        let drawn = all.iter().find(|(probability, _)| {
            random -= probability;
            random < 0.0
        });
        let (_, next) = drawn.or(all.last()).expect("a move leaves an empty cell");
        State::from_bits(self.encode(next))
    }

    fn write(&self, state: State) -> String {
        text(&self.decode(state.bits()))
    }

    fn write_afterstate(&self, afterstate: Afterstate) -> String {
        text(&self.decode(afterstate.bits()))
    }

    fn parse(&self, text: &str) -> Result<State, TextError> {
        Ok(State::from_bits(self.encode(&board(text))))
    }
}
