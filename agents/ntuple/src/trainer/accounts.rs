//! The counters of a training. Every finished game is counted here.

use super::game::TrainingGame;
use super::state::TrainingState;
use crate::recent::RecentGames;
use runner_core::{Game, TrainingProgress};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// The counters of a training, shared by its threads.
pub struct Accounts {
    began: Instant,
    /// The learner's progress when the training began.
    before: TrainingProgress,
    /// Moves that threads have claimed.
    claimed: AtomicU64,
    /// Moves that threads have made.
    moves: AtomicU64,
    episodes: AtomicU64,
    recent: Mutex<RecentGames>,
}

impl Accounts {
    /// Starts the counters of a training that continues from a state.
    pub fn open(state: &mut TrainingState) -> Self {
        Self {
            began: Instant::now(),
            before: state.progress(),
            claimed: AtomicU64::new(0),
            moves: AtomicU64::new(0),
            episodes: AtomicU64::new(0),
            recent: Mutex::new(std::mem::take(&mut state.recent)),
        }
    }

    /// Claims moves for one batch: as many as `limit` leaves, and at most up to the next
    /// multiple of `batch` in the learner's total. Returns 0 if the limit is reached.
    pub fn claim(&self, limit: u64, batch: u64) -> u64 {
        let part = |claimed: u64| {
            let batch = batch - (self.before.moves + claimed) % batch;
            batch.min(limit - claimed)
        };
        let take = |claimed| Some(claimed + part(claimed));
        self.claimed.fetch_update(Relaxed, Relaxed, take).map_or(0, part)
    }

    /// Counts a batch of claimed moves, of which some were not made.
    pub fn add_moves(&self, claimed: u64, not_made: u64) {
        self.moves.fetch_add(claimed - not_made, Relaxed);
        self.claimed.fetch_sub(not_made, Relaxed);
    }

    /// Counts a finished game.
    pub fn add_game<G: Game>(&self, game: &G, finished: &TrainingGame) {
        self.episodes.fetch_add(1, Relaxed);
        let max_tile = game.max_tile(finished.state).unwrap_or(0);
        self.recent().add(finished.score, max_tile, &game.description().tiles);
    }

    /// Returns the progress of this training alone.
    pub fn session(&self) -> TrainingProgress {
        TrainingProgress {
            moves: self.moves.load(Relaxed),
            episodes: self.episodes.load(Relaxed),
            elapsed: self.began.elapsed(),
            ..TrainingProgress::default()
        }
    }

    /// Returns the learner's progress in all trainings.
    pub fn total(&self) -> TrainingProgress {
        let session = self.session();
        TrainingProgress {
            moves: self.before.moves + session.moves,
            episodes: self.before.episodes + session.episodes,
            elapsed: self.before.elapsed + session.elapsed,
            ..session
        }
    }

    /// Returns the learner's progress with the statistics of the last games.
    pub fn report(&self) -> TrainingProgress {
        self.recent().in_progress(self.total())
    }

    /// Adds what this training has done to the state.
    pub fn close(self, state: &mut TrainingState) {
        let session = self.session();
        state.moves += session.moves;
        state.episodes += session.episodes;
        state.elapsed += session.elapsed;
        state.recent = self.recent.into_inner().unwrap_or_else(PoisonError::into_inner);
    }

    fn recent(&self) -> MutexGuard<'_, RecentGames> {
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
