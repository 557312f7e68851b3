//! The state of a training.

use runner_core::{Afterstate, Random, State, TrainingProgress};
use runner_learning::RecentGames;

#[derive(Default)]
pub struct TrainingState {
    /// Moves, games and time.
    pub total: TrainingProgress,
    /// The seed of the training.
    pub seed: u64,
    /// The current game.
    pub episode: Option<Episode>,
    /// Results of the last games.
    pub recent: RecentGames,
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
        self.recent.set_in(self.total.clone())
    }
}
