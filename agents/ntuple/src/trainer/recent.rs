//! Results of the last games.

use runner_core::TrainingProgress;
use std::collections::VecDeque;

/// Number of games that are remembered.
const WINDOW: usize = 1000;

/// Scores and max tiles of the last games.
#[derive(Clone, Debug, Default)]
pub struct RecentGames {
    games: VecDeque<RecentGame>,
    score_sum: f64,
    ended: [u32; 32],
}

#[derive(Clone, Copy, Debug)]
struct RecentGame {
    score: f64,
    max_tile: u64,
    /// The max tile's number among the tiles of the game, if it is counted.
    tile_number: Option<usize>,
}

impl RecentGames {
    /// Adds a game. `tiles` are those of the game's description.
    pub fn add(&mut self, score: f64, max_tile: u64, tiles: &[u64]) {
        if self.games.len() == WINDOW
            && let Some(oldest) = self.games.pop_front()
        {
            self.score_sum -= oldest.score;
            if let Some(number) = oldest.tile_number {
                self.ended[number] -= 1;
            }
        }
        let counted = tiles.iter().take(self.ended.len());
        let tile_number = counted.into_iter().position(|&tile| tile == max_tile);
        if let Some(number) = tile_number {
            self.ended[number] += 1;
        }
        self.score_sum += score;
        self.games.push_back(RecentGame { score, max_tile, tile_number });
    }

    /// Returns the progress with the statistics of these games.
    pub fn in_progress(&self, progress: TrainingProgress) -> TrainingProgress {
        let window = self.games.len();
        TrainingProgress {
            window: window as u64,
            mean: if window == 0 { 0.0 } else { self.score_sum / window as f64 },
            max_tile: self.games.iter().map(|game| game.max_tile).max().unwrap_or(0),
            ended: self.ended,
            ..progress
        }
    }
}
