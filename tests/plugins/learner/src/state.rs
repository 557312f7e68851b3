//! The state of a training.

use runner_core::{Afterstate, COUNTED_TILES, Random, State, TrainingProgress};
use std::collections::VecDeque;

/// The state of the training.
#[derive(Default)]
pub struct TrainingState {
    /// Moves, games and time.
    pub total: TrainingProgress,
    /// The seed of the training.
    pub seed: u64,
    /// The current game.
    pub episode: Option<Episode>,
    /// Score, max tile and its index of each of the last games.
    pub last: VecDeque<(f64, u64, usize)>,
}

/// A game that has begun.
#[derive(Clone)]
pub struct Episode {
    pub random: Random,
    /// Number of random words drawn, which determines the state of `random`.
    pub drawn: u64,
    pub state: State,
    pub score: f64,
    /// The last afterstate, and the chance reward after it.
    pub last: Option<(Afterstate, f32)>,
}

impl Episode {
    /// Draws a random word.
    pub fn word(&mut self) -> u64 {
        self.drawn += 1;
        self.random.word()
    }
}

impl TrainingState {
    pub fn progress(&self) -> TrainingProgress {
        let mut progress =
            TrainingProgress { window: self.last.len() as u64, ..self.total.clone() };
        for &(score, tile, place) in &self.last {
            progress.mean += score / self.last.len() as f64;
            progress.max_tile = progress.max_tile.max(tile);
            if place < COUNTED_TILES {
                progress.ended[place] += 1;
            }
        }
        progress
    }
}
