//! What the table has played so far: totals, the last games, and those that are
//! under way, which a later call of `train` goes on with.

use runner_core::{Afterstate, COUNTED_TILES, TrainingProgress, Random, State};
use std::collections::VecDeque;

/// How many of the last games are remembered.
const WINDOW: usize = 1000;

#[derive(Default)]
pub struct Life {
    /// Moves, games and time; what is told of the last games is filled in by
    /// [`progress`](Life::progress).
    pub done: TrainingProgress,
    /// How many games were begun: the number of the next.
    pub begun: u64,
    /// The games that stand where the last call ended.
    pub under_way: Vec<Play>,
    /// The score of each of the last games, and the place of its greatest tile in
    /// the list of the game's description.
    last: VecDeque<(f64, Option<usize>)>,
    tiles: Vec<u64>,
}

/// A game that is played.
pub struct Play {
    pub random: Random,
    pub state: State,
    pub score: f64,
    /// The last afterstate, and what chance gave after it.
    pub last: Option<(Afterstate, f32)>,
}

impl Life {
    /// Notes a game that has ended with this tile as its greatest; `tiles` are
    /// those of the game's description.
    pub fn note(&mut self, score: f64, max_tile: Option<u64>, tiles: &[u64]) {
        self.done.episodes += 1;
        if self.tiles != tiles {
            self.tiles = tiles.to_vec();
        }
        let place = max_tile.and_then(|tile| tiles.iter().position(|&t| t == tile));
        self.last.push_back((score, place));
        if self.last.len() > WINDOW {
            self.last.pop_front();
        }
    }

    pub fn progress(&self) -> TrainingProgress {
        let mut progress = self.done;
        progress.window = self.last.len() as u64;
        let mut ended = [0; COUNTED_TILES];
        for (score, place) in &self.last {
            progress.mean += score / self.last.len() as f64;
            if let Some(place) = *place {
                progress.max_tile = progress.max_tile.max(self.tiles[place]);
                if place < COUNTED_TILES {
                    ended[place] += 1;
                }
            }
        }
        progress.ended = ended;
        progress
    }
}
