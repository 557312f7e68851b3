//! The last games of a training, and how a model file holds them.

use runner_core::{COUNTED_TILES, TrainingProgress};
use std::collections::VecDeque;

/// Maximum number of games that are kept.
const WINDOW: usize = 1000;

/// Size of a game in a file: score (f64), max tile (u64), index of that tile (u8).
const BYTES: usize = 17;
/// The index of a tile that is not counted.
const NO_INDEX: u8 = u8::MAX;

/// The result of a finished game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FinishedGame {
    /// Score.
    pub score: f64,
    /// Max tile.
    pub tile: u64,
    /// Index of that tile in the game's description, if it is below [`COUNTED_TILES`].
    pub index: Option<usize>,
}

impl FinishedGame {
    /// Appends the game to the bytes of a file.
    pub fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend(self.score.to_le_bytes());
        bytes.extend(self.tile.to_le_bytes());
        bytes.push(self.index.map_or(NO_INDEX, |index| index as u8));
    }

    /// Reads all games from the bytes of a file; `None` if these are none.
    pub fn read_all(bytes: &[u8]) -> Option<Vec<Self>> {
        let (games, rest) = bytes.as_chunks::<BYTES>();
        let game = |bytes: &[u8; BYTES]| {
            let word = |at: usize| bytes[at..at + 8].try_into().expect("8 bytes");
            let index = Some(bytes[16]).filter(|index| *index != NO_INDEX).map(usize::from);
            Self { score: f64::from_le_bytes(word(0)), tile: u64::from_le_bytes(word(8)), index }
        };
        let games: Vec<_> = games.iter().map(game).collect();
        let is_possible = |game: &Self| {
            game.score.is_finite() && game.index.is_none_or(|index| index < COUNTED_TILES)
        };
        (rest.is_empty() && games.iter().all(is_possible)).then_some(games)
    }
}

/// The results of the last games of a training, at most 1000.
#[derive(Clone, Debug, Default, PartialEq)]
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_are_read_as_they_were_written_and_impossible_bytes_are_refused() {
        let games = [(8.0, 4, Some(1)), (0.0, 3, None)];
        let games = games.map(|(score, tile, index)| FinishedGame { score, tile, index });
        let mut bytes = Vec::new();
        games.iter().for_each(|game| game.write(&mut bytes));
        assert_eq!(FinishedGame::read_all(&bytes), Some(games.to_vec()));
        assert_eq!(FinishedGame::read_all(&bytes[1..]), None);
        bytes[16] = 200;
        assert_eq!(FinishedGame::read_all(&bytes), None);
    }

    #[test]
    fn progress_describes_the_last_thousand_games() {
        let mut recent = RecentGames::default();
        recent.add(1e6, 8, &[2, 4, 8]);
        (0..1000).for_each(|_| recent.add(10.0, 4, &[2, 4, 8]));
        let progress = recent.in_progress(TrainingProgress::default());
        assert_eq!((progress.window, progress.mean, progress.max_tile), (1000, 10.0, 4));
        assert_eq!(progress.ended[..3], [0, 1000, 0]);
    }
}
