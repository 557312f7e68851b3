//! What a learner keeps from one training to the next.

use super::game::TrainingGame;
use super::recent::RecentGames;
use runner_core::TrainingProgress;
use std::time::Duration;

/// The state of a learner between trainings.
#[derive(Debug, Default)]
pub struct TrainingState {
    pub(super) moves: u64,
    pub(super) episodes: u64,
    pub(super) elapsed: Duration,
    pub(super) next_game: u64,
    pub(super) recent: RecentGames,
    /// Games that the next training continues, the one with the next turn first.
    pub(super) unfinished: Vec<TrainingGame>,
}

impl TrainingState {
    /// Returns the state that a model file describes. Unfinished games are not stored, so the
    /// next training begins with game number `next_game`.
    pub fn restored(moves: u64, episodes: u64, elapsed: Duration, next_game: u64) -> Self {
        Self { moves, episodes, elapsed, next_game, ..Self::default() }
    }

    /// Returns the progress of all trainings together.
    pub fn progress(&self) -> TrainingProgress {
        self.recent.in_progress(TrainingProgress {
            moves: self.moves,
            episodes: self.episodes,
            elapsed: self.elapsed,
            ..TrainingProgress::default()
        })
    }

    /// Returns the number of the next game to begin.
    pub fn next_game(&self) -> u64 {
        self.next_game
    }
}
