//! The last games of a training, and how a model file holds them.

use runner_core::TrainingProgress;
use std::collections::{BTreeMap, VecDeque};

/// Maximum number of games that are kept.
const WINDOW: usize = 1000;

/// Size of a game in a file: score (f64), max tile (u64).
const BYTES: usize = 16;

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

    /// Reads all games from the bytes of a file; `None` if these are none.
    pub fn read_all(bytes: &[u8]) -> Option<Vec<Self>> {
        let (games, rest) = bytes.as_chunks::<BYTES>();
        let game = |bytes: &[u8; BYTES]| {
            let word = |at: usize| bytes[at..at + 8].try_into().expect("8 bytes");
            Self { score: f64::from_le_bytes(word(0)), tile: u64::from_le_bytes(word(8)) }
        };
        let games: Vec<_> = games.iter().map(game).collect();
        (rest.is_empty() && games.iter().all(|game| game.score.is_finite())).then_some(games)
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

    /// Returns progress with the statistics of these games.
    pub fn in_progress(&self, done: TrainingProgress) -> TrainingProgress {
        let mut ended = BTreeMap::new();
        for game in self.games.iter().filter(|game| game.tile > 0) {
            *ended.entry(game.tile).or_default() += 1;
        }
        let window = self.games.len();
        TrainingProgress {
            window: window as u64,
            mean: if window == 0 { 0.0 } else { self.score_sum / window as f64 },
            ended: ended.into_iter().collect(),
            ..done
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
        let progress = recent.in_progress(TrainingProgress::default());
        assert_eq!((progress.window, progress.mean, progress.max_tile()), (1000, 10.0, 4));
        assert_eq!(progress.ended, [(4, 999)]);
    }
}
