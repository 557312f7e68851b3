//! The last games of a training, and how a model file holds them.

use runner_core::TrainingProgress;
use std::collections::{BTreeMap, VecDeque};

/// Maximum number of games that are kept.
const WINDOW: usize = 1000;

/// Size of a game in a file: score (f64) and max tile (u64), little-endian.
const GAME_BYTES: usize = 16;

/// The result of a finished game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FinishedGame {
    /// Score.
    pub score: f64,
    /// [`Game::max_tile`](runner_core::Game::max_tile) of the last position; 0 if there is none.
    pub tile: u64,
}

impl FinishedGame {
    /// Appends the game to the bytes of a file.
    pub fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend(self.score.to_le_bytes());
        bytes.extend(self.tile.to_le_bytes());
    }

    /// Reads games from the bytes of a file. Returns `None` if the bytes are not those of games.
    pub fn read_all(bytes: &[u8]) -> Option<Vec<Self>> {
        let (chunks, rest) = bytes.as_chunks::<GAME_BYTES>();
        if !rest.is_empty() {
            return None;
        }
        let mut games = Vec::with_capacity(chunks.len());
        for chunk in chunks {
            let word = |at: usize| chunk[at..at + 8].try_into().expect("8 bytes");
            let score = f64::from_le_bytes(word(0));
            if !score.is_finite() {
                return None;
            }
            games.push(Self { score, tile: u64::from_le_bytes(word(8)) });
        }
        Some(games)
    }
}

/// The results of the last games of a training, at most 1000.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecentGames {
    games: VecDeque<FinishedGame>,
    score_sum: f64,
}

impl RecentGames {
    /// Adds a game.
    pub fn add(&mut self, game: FinishedGame) {
        if self.games.len() == WINDOW
            && let Some(oldest) = self.games.pop_front()
        {
            self.score_sum -= oldest.score;
        }
        self.score_sum += game.score;
        self.games.push_back(game);
    }

    /// Returns the games, oldest first.
    pub fn games(&self) -> impl Iterator<Item = FinishedGame> {
        self.games.iter().copied()
    }

    /// Returns the progress with the statistics of these games set.
    pub fn set_in(&self, progress: TrainingProgress) -> TrainingProgress {
        let mut ended = BTreeMap::new();
        for game in self.games.iter().filter(|game| game.tile > 0) {
            *ended.entry(game.tile).or_default() += 1;
        }
        let window = self.games.len();
        TrainingProgress {
            window: window as u64,
            mean: if window == 0 { 0.0 } else { self.score_sum / window as f64 },
            ended: ended.into_iter().collect(),
            ..progress
        }
    }
}

impl FromIterator<FinishedGame> for RecentGames {
    fn from_iter<I: IntoIterator<Item = FinishedGame>>(games: I) -> Self {
        let mut recent = Self::default();
        games.into_iter().for_each(|game| recent.add(game));
        recent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_are_read_as_they_were_written_and_impossible_bytes_are_refused() {
        let games = [(8.0, 4), (0.0, 3)].map(|(score, tile)| FinishedGame { score, tile });
        let mut bytes = Vec::new();
        games.iter().for_each(|game| game.write(&mut bytes));
        assert_eq!(FinishedGame::read_all(&bytes), Some(games.to_vec()));
        assert_eq!(FinishedGame::read_all(&bytes[1..]), None);
        bytes[..8].copy_from_slice(&f64::NAN.to_le_bytes());
        assert_eq!(FinishedGame::read_all(&bytes), None);
    }

    #[test]
    fn progress_describes_the_last_thousand_games() {
        let mut recent = RecentGames::default();
        recent.add(FinishedGame { score: 1e6, tile: 8 });
        (0..999).for_each(|_| recent.add(FinishedGame { score: 10.0, tile: 4 }));
        recent.add(FinishedGame { score: 10.0, tile: 0 });
        let progress = recent.set_in(TrainingProgress::default());
        assert_eq!((progress.window, progress.mean, progress.max_tile()), (1000, 10.0, 4));
        assert_eq!(progress.ended, [(4, 999)]);
    }
}
