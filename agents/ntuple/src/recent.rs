//! The mean length of the last games of a training.

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
