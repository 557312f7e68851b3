//! The state of the training besides the table: totals, the last games, and games in
//! progress, which a later call of `train` continues.

use runner_core::{Afterstate, COUNTED_TILES, Random, State, TrainingProgress};
use std::collections::VecDeque;

/// Number of the last games over which means are taken.
const WINDOW: usize = 1000;

#[derive(Default)]
pub struct TrainingState {
    /// Moves, games and time. [`progress`](TrainingState::progress) adds the statistics of
    /// the last games.
    pub done: TrainingProgress,
    /// Number of games that were started, which is the number of the next game.
    pub started: u64,
    /// Games that were in progress when the last call ended.
    pub in_progress: Vec<Episode>,
    /// Score of each of the last games, and the index of its max tile in the list of the
    /// game's description.
    last: VecDeque<(f64, Option<usize>)>,
    tiles: Vec<u64>,
}

/// A game in progress.
pub struct Episode {
    pub random: Random,
    pub state: State,
    pub score: f64,
    /// The last afterstate and the chance reward after it.
    pub last: Option<(Afterstate, f32)>,
}

impl TrainingState {
    /// Adds a finished game. `tiles` are those of the game's description.
    pub fn add_game(&mut self, score: f64, max_tile: Option<u64>, tiles: &[u64]) {
        self.done.episodes += 1;
        if self.tiles != tiles {
            self.tiles = tiles.to_vec();
        }
        let index = max_tile.and_then(|tile| tiles.iter().position(|&t| t == tile));
        self.last.push_back((score, index));
        if self.last.len() > WINDOW {
            self.last.pop_front();
        }
    }

    /// Returns the totals with the statistics of the last games.
    pub fn progress(&self) -> TrainingProgress {
        let mut progress = self.done.clone();
        progress.window = self.last.len() as u64;
        let mut ended = [0; COUNTED_TILES];
        for (score, index) in &self.last {
            progress.mean += score / self.last.len() as f64;
            if let Some(index) = *index {
                progress.max_tile = progress.max_tile.max(self.tiles[index]);
                if index < COUNTED_TILES {
                    ended[index] += 1;
                }
            }
        }
        progress.ended = ended;
        progress
    }
}
