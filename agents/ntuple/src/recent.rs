//! Statistics of the last games of a training.

use runner_core::{COUNTED_TILES, TrainingProgress};
use std::collections::VecDeque;

/// Maximum number of games that are kept.
const WINDOW: usize = 1000;

/// The result of a game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FinishedGame {
    /// Score.
    pub score: f64,
    /// Max tile.
    pub tile: u64,
    /// Index of that tile in the game's description, if it is below [`COUNTED_TILES`].
    pub index: Option<usize>,
}

/// The results of the last games.
#[derive(Clone, Debug, Default)]
pub struct RecentGames {
    games: VecDeque<FinishedGame>,
    score_sum: f64,
    ended: [u32; COUNTED_TILES],
}

impl RecentGames {
    /// Adds a game. `tiles` are those of the game's description.
    pub fn add(&mut self, score: f64, tile: u64, tiles: &[u64]) {
        let index = tiles.iter().position(|&t| t == tile).filter(|&index| index < COUNTED_TILES);
        self.push(FinishedGame { score, tile, index });
    }

    fn push(&mut self, game: FinishedGame) {
        if self.games.len() == WINDOW
            && let Some(oldest) = self.games.pop_front()
        {
            self.score_sum -= oldest.score;
            if let Some(index) = oldest.index {
                self.ended[index] -= 1;
            }
        }
        if let Some(index) = game.index {
            self.ended[index] += 1;
        }
        self.score_sum += game.score;
        self.games.push_back(game);
    }

    /// Returns the games, oldest first.
    pub fn games(&self) -> impl Iterator<Item = FinishedGame> {
        self.games.iter().copied()
    }

    /// Returns progress with the statistics of these games.
    pub fn in_progress(&self, done: TrainingProgress) -> TrainingProgress {
        let window = self.games.len();
        TrainingProgress {
            window: window as u64,
            mean: if window == 0 { 0.0 } else { self.score_sum / window as f64 },
            max_tile: self.games.iter().map(|game| game.tile).max().unwrap_or(0),
            ended: self.ended,
            ..done
        }
    }
}

impl FromIterator<FinishedGame> for RecentGames {
    fn from_iter<I: IntoIterator<Item = FinishedGame>>(games: I) -> Self {
        let mut recent = Self::default();
        games.into_iter().for_each(|game| recent.push(game));
        recent
    }
}

/// The mean length of recent games.
#[derive(Clone, Copy, Debug, Default)]
pub struct MeanLength {
    games: u64,
    mean: f64,
}

impl MeanLength {
    /// Number of games after which each new one has the same weight.
    const GAMES: u64 = 100;

    /// Adds a game.
    pub fn add(&mut self, moves: u64) {
        self.games = (self.games + 1).min(Self::GAMES);
        self.mean += (moves as f64 - self.mean) / self.games as f64;
    }

    /// Returns the mean in moves, if there are games.
    pub fn get(&self) -> Option<f64> {
        (self.games > 0).then_some(self.mean)
    }
}
