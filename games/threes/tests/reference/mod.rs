//! A slow reference of Threes: displayed values cell by cell, and the bag as a list of tiles.
//! Only `bits` depends on the layout of positions, which the game's `layout` documents.
#![allow(dead_code)] // Each test uses a part of it.

mod bits;

use game_reference::{Board, lines};
use game_threes::{Bonus, Config, Entry};
use runner_core::{
    Action, Afterstate, Description, Game, Outcomes, Random, State, Successors, TextError,
};

pub struct Reference {
    config: Config,
    /// The fast game's description, for the layout of positions.
    description: Description,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Next {
    Tile(u64),
    Bonus,
    /// A bonus that is one of these tiles.
    Set(Vec<u64>),
}

#[derive(Clone, PartialEq, Debug)]
pub struct Position {
    pub board: Board,
    pub next: Next,
    /// The tiles in the bag, sorted.
    pub bag: Vec<u64>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Moved {
    pub position: Position,
    pub action: usize,
    /// The lines in which the next tile may enter.
    pub lines: Vec<usize>,
    /// The max tile when a bonus without a set was announced.
    pub greatest: Option<u64>,
}

impl Reference {
    pub fn of<G: Game>(game: &G, config: &Config) -> Self {
        Self { config: config.clone(), description: game.description().clone() }
    }

    fn moves(&self, position: &Position) -> Vec<(Moved, u64)> {
        let Position { board, next, .. } = position;
        let pushes = lines::all_pushes(board, |line| self.push(line));
        let mut all = Vec::new();
        for (action, (after, moved)) in pushes.into_iter().enumerate() {
            if after == *board {
                continue;
            }
            let lines = (0..moved.len()).filter(|&line| match self.config.entry {
                Entry::MovedLines => moved[line],
                Entry::FarEdge => {
                    let (row, col) = entrance(&after, action, line);
                    after[row][col] == 0
                }
            });
            let reward = score(&after) - score(board);
            let greatest = (*next == Next::Bonus).then(|| greatest(board));
            let lines = lines.collect();
            let position = Position { board: after, ..position.clone() };
            all.push((Moved { position, action, lines, greatest }, reward));
        }
        all
    }

    /// Pushes a line to the left and returns true if it moved.
    fn push(&self, line: &[u64]) -> (Vec<u64>, bool) {
        for i in 0..line.len() - 1 {
            // The first empty cell or mergeable pair takes up the move; all tiles behind it
            // shift by one.
            let made =
                if line[i] == 0 { Some(line[i + 1]) } else { self.merge(line[i], line[i + 1]) };
            if let Some(made) = made {
                let pushed = [&line[..i], &[made], &line[i + 2..], &[0]].concat();
                let moved = pushed != line;
                return (pushed, moved);
            }
        }
        (line.to_vec(), false)
    }

    fn merge(&self, a: u64, b: u64) -> Option<u64> {
        if a + b == 3 && a != 0 && b != 0 {
            Some(3)
        } else if a == b && a >= 3 && a < self.config.top {
            Some(2 * a)
        } else {
            None
        }
    }

    fn outcomes_of(&self, moved: &Moved) -> Vec<(f64, Position)> {
        let Moved { position, action, lines, greatest } = moved;
        let tiles = match &position.next {
            Next::Tile(tile) => vec![*tile],
            Next::Bonus => bonuses(greatest.unwrap()),
            Next::Set(tiles) => tiles.clone(),
        };
        let mut all = Vec::new();
        for &line in lines {
            for &tile in &tiles {
                let mut board = position.board.clone();
                let (row, col) = entrance(&board, *action, line);
                board[row][col] = tile;
                let probability = 1.0 / lines.len() as f64 / tiles.len() as f64;
                for (announced, next, bag) in self.announcements(&board, &position.bag) {
                    let board = board.clone();
                    all.push((probability * announced, Position { board, next, bag }));
                }
            }
        }
        all
    }

    pub fn announcements(&self, board: &Board, bag: &[u64]) -> Vec<(f64, Next, Vec<u64>)> {
        let bonus = if self.config.bonus != Bonus::None && greatest(board) >= 48 {
            1.0 / f64::from(self.config.bonus_odds)
        } else {
            0.0
        };
        let mut all = Vec::new();
        for tile in [1, 2, 3] {
            let count = bag.iter().filter(|&&other| other == tile).count();
            let probability = (1.0 - bonus) * count as f64 / bag.len() as f64;
            if probability > 0.0 {
                let mut left = bag.to_vec();
                left.remove(left.iter().position(|&other| other == tile).unwrap());
                if left.is_empty() {
                    left = self.full_bag();
                }
                all.push((probability, Next::Tile(tile), left));
            }
        }
        if bonus > 0.0 && self.config.bonus == Bonus::Announced {
            all.push((bonus, Next::Bonus, bag.to_vec()));
        }
        if bonus > 0.0 && self.config.bonus == Bonus::Set {
            let tiles = bonuses(greatest(board));
            let sets = tiles.windows(tiles.len().min(3));
            let share = bonus / sets.len() as f64;
            all.extend(sets.map(|set| (share, Next::Set(set.to_vec()), bag.to_vec())));
        }
        all
    }

    pub fn full_bag(&self) -> Vec<u64> {
        let of_each = self.config.bag as usize;
        [1, 2, 3].into_iter().flat_map(|tile| vec![tile; of_each]).collect()
    }

    /// Returns a synthetic position: low tiles, many of which merge, or all tiles, with a random
    /// possible announcement.
    pub fn synthetic(&self, random: &mut Random) -> State {
        let tiles = &self.description.tiles;
        let most = if random.below(2) == 0 { tiles.len().min(5) } else { tiles.len() };
        let ranks = 1 + random.below(most as u32);
        let Config { rows, cols, .. } = self.config;
        let mut cell = || match random.below(ranks + 1) {
            0 => 0,
            rank => tiles[rank as usize - 1],
        };
        let board: Board = (0..rows).map(|_| (0..cols).map(|_| cell()).collect()).collect();
        let mut bag = self.full_bag();
        for _ in 0..random.below(bag.len() as u32) {
            bag.remove(random.below(bag.len() as u32) as usize);
        }
        let announcements = self.announcements(&board, &bag);
        let (_, next, bag) =
            announcements[random.below(announcements.len() as u32) as usize].clone();
        State::from_bits(self.state_bits(&Position { board, next, bag }))
    }
}

/// Returns the cell at which a tile enters in a line, at the edge opposite to the push.
fn entrance(board: &Board, action: usize, line: usize) -> (usize, usize) {
    let (last_row, last_col) = (board.len() - 1, board[0].len() - 1);
    [(last_row, line), (line, 0), (0, line), (line, last_col)][action]
}

/// Returns 6, 12, ... up to an eighth of the max tile.
fn bonuses(greatest: u64) -> Vec<u64> {
    (1..).map(|k| 3 << k).take_while(|v| 8 * v <= greatest).collect()
}

fn greatest(board: &Board) -> u64 {
    *board.iter().flatten().max().unwrap()
}

/// Returns the sum over the tiles v of 3 or more of 3^(log2(v/3) + 1).
pub fn score(board: &Board) -> u64 {
    board.iter().flatten().filter(|&&v| v >= 3).map(|v| 3u64.pow((v / 3).ilog2() + 1)).sum()
}

impl Game for Reference {
    fn description(&self) -> &Description {
        &self.description
    }

    fn start(&self, random: u64) -> State {
        let mut random = Random::from_word(random);
        let Config { rows, cols, start_tiles, .. } = self.config;
        let mut board = vec![vec![0; cols]; rows];
        let mut bag = self.full_bag();
        let mut draw = |random: &mut Random| {
            let tile = bag.remove(random.below(bag.len() as u32) as usize);
            if bag.is_empty() {
                bag = self.full_bag();
            }
            (tile, bag.clone())
        };
        for _ in 0..start_tiles.unwrap_or(rows * cols * 9 / 16) {
            let empty = lines::cells(&board).filter(|&(row, col)| board[row][col] == 0);
            let empty: Vec<_> = empty.collect();
            let (row, col) = empty[random.below(empty.len() as u32) as usize];
            board[row][col] = draw(&mut random).0;
        }
        let (next, bag) = draw(&mut random);
        State::from_bits(self.state_bits(&Position { board, next: Next::Tile(next), bag }))
    }

    fn successors(&self, state: State, out: &mut Successors) {
        out.clear();
        for (moved, reward) in self.moves(&self.position(state.bits())) {
            let afterstate = Afterstate::from_bits(self.afterstate_bits(&moved));
            out.push(Action(moved.action as u8), afterstate, reward as f32);
        }
    }

    fn outcomes(&self, afterstate: Afterstate, out: &mut Outcomes) {
        out.clear();
        for (probability, next) in self.outcomes_of(&self.moved(afterstate.bits())) {
            out.push(probability, State::from_bits(self.state_bits(&next)));
        }
    }

    fn spawn(&self, afterstate: Afterstate, random: u64) -> State {
        let all = self.outcomes_of(&self.moved(afterstate.bits()));
        let mut random = random as f64 / (1u128 << 64) as f64;
        let drawn = all.iter().find(|(probability, _)| {
            random -= probability;
            random < 0.0
        });
        let (_, next) = drawn.or(all.last()).expect("a tile enters");
        State::from_bits(self.state_bits(next))
    }

    fn chance_reward(&self, from: Option<Afterstate>, to: State) -> f32 {
        let before = from.map_or(0, |from| score(&self.moved(from.bits()).position.board));
        (score(&self.position(to.bits()).board) - before) as f32
    }

    fn has_chance_rewards(&self) -> bool {
        true
    }

    fn write(&self, state: State) -> String {
        format!("{:?}", self.position(state.bits()))
    }

    fn write_afterstate(&self, afterstate: Afterstate) -> String {
        format!("{:?}", self.moved(afterstate.bits()))
    }

    fn parse(&self, _: &str) -> Result<State, TextError> {
        Err(TextError::new(0, "the reference does not read positions"))
    }
}
