//! The counters of a training. Every finished game is counted here.

use super::game::TrainingGame;
use super::series::series;
use super::state::TrainingState;
use crate::starts::Entrances;
use agent_ntuple_files::{MeanLength, Phase};
use runner_core::{Game, TrainingProgress};
use runner_learning::{FinishedGame, RecentGames};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// The counters of a training, shared by its threads.
pub struct Counters {
    began: Instant,
    /// The learner's progress when the training began.
    before: TrainingProgress,
    /// Moves that threads have claimed.
    claimed: AtomicU64,
    /// Moves that threads have made.
    moves: AtomicU64,
    episodes: AtomicU64,
    /// Games that began at a restart and have ended.
    restarts: AtomicU64,
    recent: Mutex<RecentGames>,
    lengths: Mutex<MeanLength>,
    /// True if progress has series of restarts.
    has_restarts: bool,
    /// The phase of a multi-stage training, for series.
    phase: Option<Phase>,
}

impl Counters {
    /// Starts the counters of a training that continues from a state. Progress has a series of
    /// restarts if `has_restarts` is true.
    pub fn open(state: &mut TrainingState, has_restarts: bool) -> Self {
        Self {
            began: Instant::now(),
            before: state.progress(),
            claimed: AtomicU64::new(0),
            moves: AtomicU64::new(0),
            episodes: AtomicU64::new(0),
            restarts: AtomicU64::new(state.restarts),
            recent: Mutex::new(std::mem::take(&mut state.recent)),
            lengths: Mutex::new(state.lengths),
            has_restarts,
            phase: state.phase,
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

    /// Counts a finished game. Games from restarts are neither episodes nor in the statistics. A
    /// whole game that was cut is an episode, but not in the statistics, because it has no final
    /// score.
    pub fn add_game<G: Game>(&self, game: &G, finished: &TrainingGame) {
        if !finished.origin.is_whole() {
            self.restarts.fetch_add(1, Relaxed);
            return;
        }
        self.episodes.fetch_add(1, Relaxed);
        if finished.is_cut {
            return;
        }
        self.lengths().add(finished.moves);
        let tile = game.max_tile(finished.state).unwrap_or(0);
        self.recent().add(FinishedGame { score: finished.score, tile });
    }

    /// Counts a game that was played with frozen weights. It is in no statistics: it may have
    /// been cut where it entered a stage.
    pub fn add_frozen_game(&self) {
        self.episodes.fetch_add(1, Relaxed);
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

    /// Returns the mean length of recent whole games in moves, if there are any.
    pub fn mean_length(&self) -> Option<f64> {
        self.lengths().get()
    }

    /// Returns the learner's progress with the statistics of the last games and the counts of
    /// restarts and entrances of stages.
    pub fn report(&self, entrances: &Entrances<'_>) -> TrainingProgress {
        let restarts = self.has_restarts.then(|| self.restarts.load(Relaxed));
        let total = TrainingProgress {
            series: series(self.phase, restarts, &entrances.counts()),
            ..self.total()
        };
        self.recent().in_progress(total)
    }

    /// Adds what this training has done to the state.
    pub fn close(self, state: &mut TrainingState) {
        let session = self.session();
        state.moves += session.moves;
        state.episodes += session.episodes;
        state.elapsed += session.elapsed;
        state.restarts = self.restarts.into_inner();
        state.recent = self.recent.into_inner().unwrap_or_else(PoisonError::into_inner);
        state.lengths = self.lengths.into_inner().unwrap_or_else(PoisonError::into_inner);
        state.has_restarts = self.has_restarts;
    }

    fn lengths(&self) -> MutexGuard<'_, MeanLength> {
        self.lengths.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn recent(&self) -> MutexGuard<'_, RecentGames> {
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
