//! A slow reference of sliding games: displayed values cell by cell, and one push, to the left.
//! Every other push is this one on a mirrored or transposed board.

use runner_core::geometry::Geometry;
use runner_core::{
    Action, Afterstate, Description, Game, Outcomes, Random, State, Successors, TextError,
};

/// The displayed values, row by row; an empty cell is 0.
pub type Board = Vec<Vec<u64>>;

/// The displayed value of a stone, which does not move and which no tile passes.
pub const STONE: u64 = u64::MAX;

/// The reference of games whose tiles slide as far as they can and enter on any empty cell.
pub struct Scattered {
    /// Returns the displayed value to which two tiles merge, which is the reward, or `None`.
    pub merge: Box<dyn Fn(u64, u64) -> Option<u64> + Send + Sync>,
    /// The tiles that enter, with their probabilities.
    pub entries: Vec<(u64, f64)>,
    /// The cells of stones, counted row by row from 0.
    pub blocked: Vec<usize>,
    pub start_tiles: usize,
    /// The fast game's description, for the layout of positions.
    pub description: Description,
}

impl Scattered {
    /// The reference of a game with two tiles at the start and no stones.
    pub fn of<G: Game>(
        game: &G,
        merge: impl Fn(u64, u64) -> Option<u64> + Send + Sync + 'static,
        entries: &[(u64, f64)],
    ) -> Self {
        Self {
            merge: Box::new(merge),
            entries: entries.to_vec(),
            blocked: Vec::new(),
            start_tiles: 2,
            description: game.description().clone(),
        }
    }

    fn moves(&self, board: &Board) -> Vec<(usize, Board, u64)> {
        let all = lines::all_pushes(board, |row| self.push(row));
        let all = all.into_iter().enumerate();
        let all = all.map(|(action, (after, rewards))| (action, after, rewards.iter().sum()));
        all.filter(|(_, after, _)| after != board).collect()
    }

    /// Pushes one row to the left. Stones split it into independent parts.
    fn push(&self, row: &[u64]) -> (Vec<u64>, u64) {
        let mut pushed = Vec::new();
        let mut reward = 0;
        for part in row.split(|&cell| cell == STONE) {
            let (tiles, earned) = self.push_part(part);
            pushed.extend(tiles);
            pushed.push(STONE);
            reward += earned;
        }
        pushed.pop();
        (pushed, reward)
    }

    fn push_part(&self, cells: &[u64]) -> (Vec<u64>, u64) {
        let tiles: Vec<u64> = cells.iter().copied().filter(|&tile| tile != 0).collect();
        let mut pushed = Vec::new();
        let mut reward = 0;
        let mut i = 0;
        while i < tiles.len() {
            let merged =
                if i + 1 < tiles.len() { (self.merge)(tiles[i], tiles[i + 1]) } else { None };
            if let Some(made) = merged {
                pushed.push(made);
                reward += made;
                i += 2;
            } else {
                pushed.push(tiles[i]);
                i += 1;
            }
        }
        pushed.resize(cells.len(), 0);
        (pushed, reward)
    }

    fn spawns(&self, board: &Board) -> Vec<(f64, Board)> {
        let empty: Vec<(usize, usize)> =
            lines::cells(board).filter(|&(r, c)| board[r][c] == 0).collect();
        let mut all = Vec::new();
        for &(row, col) in &empty {
            for &(tile, probability) in self.entries.iter().filter(|(_, p)| *p > 0.0) {
                let mut next = board.clone();
                next[row][col] = tile;
                all.push((probability / empty.len() as f64, next));
            }
        }
        all
    }

    /// Returns a synthetic position: all cells random up to a random max tile, or of only three
    /// kinds, so that many tiles merge at every rank.
    pub fn synthetic(&self, random: &mut Random) -> State {
        let tiles = &self.description.tiles;
        let top = 1 + random.below(tiles.len() as u32);
        let other = random.below(tiles.len() as u32);
        let few = random.below(2) == 0;
        let mut board = self.without_tiles();
        for (row, col) in lines::cells(&board).collect::<Vec<_>>() {
            let choice = if few {
                [0, top, other + 1][random.below(3) as usize]
            } else {
                random.below(top + 1)
            };
            if board[row][col] != STONE && choice != 0 {
                board[row][col] = tiles[choice as usize - 1];
            }
        }
        State::from_bits(self.encode(&board))
    }

    fn without_tiles(&self) -> Board {
        let Geometry { rows, cols, .. } = *self.geometry();
        let cell = |cell| if self.blocked.contains(&cell) { STONE } else { 0 };
        (0..rows).map(|row| (0..cols).map(|col| cell(row * cols + col)).collect()).collect()
    }

    fn geometry(&self) -> &Geometry {
        self.description.geometry.as_ref().expect("a sliding game has a board")
    }

    fn decode(&self, bits: u128) -> Board {
        let board = self.geometry();
        lines::from_ranks(board, bits, |rank| match board.values[rank] {
            0 if rank > 0 => STONE,
            value => value,
        })
    }

    fn encode(&self, board: &Board) -> u128 {
        let values = &self.geometry().values;
        lines::to_ranks(self.geometry(), board, |shown| {
            let rank = match shown {
                STONE => values.iter().rposition(|&value| value == 0),
                shown => values.iter().position(|&value| value == shown),
            };
            rank.expect("the board has valid tiles")
        })
    }
}

pub mod lines {
    use super::{Board, Geometry};

    pub fn cells(board: &Board) -> impl Iterator<Item = (usize, usize)> + use<> {
        let (rows, cols) = (board.len(), board[0].len());
        (0..rows).flat_map(move |row| (0..cols).map(move |col| (row, col)))
    }

    /// Returns the boards after a push up, right, down and left, each with the second result of
    /// `left` for every line. `left` pushes a line to the left.
    pub fn all_pushes<T>(
        board: &Board,
        left: impl Fn(&[u64]) -> (Vec<u64>, T),
    ) -> [(Board, Vec<T>); 4] {
        let push = |board: &Board| board.iter().map(|row| left(row)).unzip();
        let (up, up_results): (Board, _) = push(&transposed(board));
        let (right, right_results): (Board, _) = push(&mirrored(board));
        let (down, down_results): (Board, _) = push(&mirrored(&transposed(board)));
        [
            (transposed(&up), up_results),
            (mirrored(&right), right_results),
            (transposed(&mirrored(&down)), down_results),
            push(board),
        ]
    }

    fn mirrored(board: &Board) -> Board {
        board.iter().map(|row| row.iter().rev().copied().collect()).collect()
    }

    fn transposed(board: &Board) -> Board {
        (0..board[0].len()).map(|col| board.iter().map(|row| row[col]).collect()).collect()
    }

    pub fn from_ranks(geometry: &Geometry, bits: u128, shown: impl Fn(usize) -> u64) -> Board {
        let cell = |cell| shown(geometry.rank(bits, cell).into());
        let row = |row| (0..geometry.cols).map(|col| cell(row * geometry.cols + col)).collect();
        (0..geometry.rows).map(row).collect()
    }

    /// Encodes a board as the bits of a position.
    pub fn to_ranks(geometry: &Geometry, board: &Board, rank: impl Fn(u64) -> usize) -> u128 {
        let shown = board.iter().flatten().enumerate();
        shown.fold(0, |bits, (cell, &shown)| geometry.with_rank(bits, cell, rank(shown) as u8))
    }

    pub fn text(board: &Board) -> String {
        let row = |row: &Vec<u64>| row.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
        board.iter().map(row).collect::<Vec<_>>().join("/").replace(&super::STONE.to_string(), "#")
    }

    pub fn board(text: &str) -> Board {
        let cell =
            |cell: &str| if cell == "#" { super::STONE } else { cell.parse().expect("a number") };
        text.split('/').map(|row| row.split(',').map(cell).collect()).collect()
    }
}

impl Game for Scattered {
    fn description(&self) -> &Description {
        &self.description
    }

    fn start(&self, random: u64) -> State {
        let mut random = Random::from_word(random);
        let bare = State::from_bits(self.encode(&self.without_tiles()));
        (0..self.start_tiles)
            .fold(bare, |state, _| self.spawn(Afterstate::from_bits(state.bits()), random.word()))
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
        let all = self.spawns(&self.decode(afterstate.bits()));
        let (_, next) = drawn(&all, random).expect("there is an empty cell after a move");
        State::from_bits(self.encode(next))
    }

    fn write(&self, state: State) -> String {
        lines::text(&self.decode(state.bits()))
    }

    fn write_afterstate(&self, afterstate: Afterstate) -> String {
        lines::text(&self.decode(afterstate.bits()))
    }

    fn parse(&self, text: &str) -> Result<State, TextError> {
        Ok(State::from_bits(self.encode(&lines::board(text))))
    }
}

/// Draws an item of a list with probabilities by a random word.
pub(crate) fn drawn<T>(all: &[(f64, T)], random: u64) -> Option<&(f64, T)> {
    let mut random = random as f64 / (1u128 << 64) as f64;
    let drawn = all.iter().find(|(probability, _)| {
        random -= probability;
        random < 0.0
    });
    drawn.or(all.last())
}
