//! The counters of a training of games with stages and restarts.

use super::game::TrainingGame;
use super::state::{TrainingState, series};
use crate::starts::{Entrances, Origin};
use agent_ntuple_files::{MeanLength, Phase};
use runner_core::{Game, TrainingSession, locked, unpoisoned};
use runner_learning::{History, Run};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard};

pub struct Counters<'a> {
    /// Moves, whole games, time, reports and the end of the training.
    pub run: Run<'a>,
    /// Games that began at a restart and have ended.
    restarts: AtomicU64,
    lengths: Mutex<MeanLength>,
    /// True if progress has series of restarts.
    has_restarts: bool,
    /// The phase of a multi-stage training, for series.
    phase: Option<Phase>,
}

impl<'a> Counters<'a> {
    /// Starts the counters of a training that continues from a state. Progress has a series of
    /// restarts if `has_restarts` is true.
    pub fn open(
        session: &'a TrainingSession<'a>,
        state: &mut TrainingState,
        has_restarts: bool,
    ) -> Self {
        let history = &mut state.history;
        Self {
            run: Run::new(session, std::mem::take(&mut history.common)),
            restarts: AtomicU64::new(history.restarts),
            lengths: Mutex::new(history.lengths),
            has_restarts,
            phase: history.phase,
        }
    }

    /// Counts a finished game. Games from restarts are neither episodes nor in the statistics.
    pub fn add_game<G: Game>(&self, game: &G, finished: &TrainingGame) {
        if finished.origin == Origin::Whole {
            self.lengths().add(finished.moves);
            self.run.add_game(finished.score, game.max_tile(finished.state));
        } else {
            self.restarts.fetch_add(1, Relaxed);
        }
    }

    pub fn mean_length(&self) -> Option<f64> {
        self.lengths().get()
    }

    /// Stops the training if its budget is spent, and reports if it is time to, with the counts
    /// of restarts and entrances of stages.
    pub fn update(&self, entrances: &Entrances) {
        self.run.update_with(|| {
            let restarts = self.has_restarts.then(|| self.restarts.load(Relaxed));
            self.run.set_series(series(self.phase, restarts, &entrances.counts()));
        });
    }

    /// Adds what this training has done to the state. The next game has this number.
    pub fn close(self, state: &mut TrainingState, next_game: u64) {
        let history = &mut state.history;
        // The series follow from the rest of the state.
        history.common = History { next_game, series: Vec::new(), ..self.run.end() };
        history.restarts = self.restarts.into_inner();
        history.lengths = unpoisoned(self.lengths.into_inner());
        state.has_restarts = self.has_restarts;
    }

    fn lengths(&self) -> MutexGuard<'_, MeanLength> {
        locked(&self.lengths)
    }
}
