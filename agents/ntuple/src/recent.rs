//! How the last games went.

use runner_core::TrainingProgress;
use std::collections::VecDeque;

/// So many games are looked back at.
const WINDOW: usize = 1000;

/// Scores and greatest tiles of the last games.
#[derive(Clone, Debug, Default)]
pub struct Recent {
    games: VecDeque<(f64, u64, Option<usize>)>,
    sum: f64,
    ended: [u32; 32],
}

impl Recent {
    /// Adds a game. `tiles` are those of the game's description.
    pub fn add(&mut self, score: f64, tile: u64, tiles: &[u64]) {
        if self.games.len() == WINDOW
            && let Some((score, _, place)) = self.games.pop_front()
        {
            self.sum -= score;
            if let Some(place) = place {
                self.ended[place] -= 1;
            }
        }
        let place = tiles.iter().position(|&t| t == tile).filter(|&place| place < 32);
        if let Some(place) = place {
            self.ended[place] += 1;
        }
        self.sum += score;
        self.games.push_back((score, tile, place));
    }

    /// Adds what is known of them to what was done.
    pub fn tell(&self, done: TrainingProgress) -> TrainingProgress {
        let window = self.games.len();
        TrainingProgress {
            window: window as u64,
            mean: if window == 0 { 0.0 } else { self.sum / window as f64 },
            max_tile: self.games.iter().map(|(_, tile, _)| *tile).max().unwrap_or(0),
            ended: self.ended,
            ..done
        }
    }
}
