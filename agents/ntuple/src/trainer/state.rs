//! The state of a learner between trainings, and its counters during one.

use super::game::TrainingGame;
use crate::starts::{Entrances, Origin};
use agent_ntuple_files::{History, MeanLength, Phase};
use runner_core::{Game, TrainingBudget, TrainingProgress, TrainingSession, locked, unpoisoned};
use runner_learning::{Run, Trained};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The counters, recent results and unfinished games of a learner.
#[derive(Debug, Default)]
pub struct TrainingState {
    /// The part that a model file holds.
    pub history: History,
    /// True if the entrances come from a file and were not compared with the game yet.
    pub(super) unchecked: bool,
    /// Games that the next training continues, the one with the next turn first.
    pub(super) unfinished: Vec<TrainingGame>,
    /// A plan, and the share of it that was done after the last whole batch, if the training was interrupted
    /// within another one.
    pub(super) batch_share: Option<(TrainingBudget, f64)>,
}

impl TrainingState {
    /// Returns the state that a model file describes. Unfinished games are not stored, so the
    /// next training begins with a new game.
    pub fn restored(history: History) -> Self {
        Self { history, unchecked: true, ..Self::default() }
    }

    pub fn progress(&self) -> TrainingProgress {
        let History { common, phase, restarts, entrances, .. } = &self.history;
        let entrances: Vec<u64> = entrances.iter().map(|stage| stage.count).collect();
        TrainingProgress { series: series(*phase, *restarts, &entrances), ..common.progress() }
    }

    /// Returns the `batch_share` of this plan.
    pub(super) fn share_of(&self, plan: TrainingBudget) -> Option<f64> {
        self.batch_share.filter(|(of, _)| *of == plan).map(|(_, share)| share)
    }

    pub fn next_game(&self) -> u64 {
        self.history.common.next_game
    }
}

impl Trained for TrainingState {
    fn progress(&self) -> TrainingProgress {
        Self::progress(self)
    }
}

/// Returns the series of a training: in a multi-stage training the stage that is trained and the
/// number of phases at whose end no game had reached the next stage; games that began at a
/// restart, if any did; and entrances of each stage after the first.
fn series(phase: Option<Phase>, restarts: u64, entrances: &[u64]) -> Vec<(String, f64)> {
    let mut series = Vec::new();
    if let Some(Phase { number, stage, .. }) = phase {
        series.push(("stage".to_owned(), stage as f64));
        series.push(("phases without entrance".to_owned(), (number - stage) as f64));
    }
    if restarts > 0 {
        series.push(("restarts".to_owned(), restarts as f64));
    }
    for (stage, &count) in (1..).zip(entrances) {
        series.push((format!("entered stage {stage}"), count as f64));
    }
    series
}

pub struct Counters<'a> {
    /// Moves, whole games, time, reports and the end of the training.
    pub run: Run<'a>,
    /// Games that began at a restart and have ended.
    restarts: AtomicU64,
    lengths: Mutex<MeanLength>,
    /// The phase of a multi-stage training, for series.
    phase: Option<Phase>,
}

impl<'a> Counters<'a> {
    /// Starts the counters of a training that continues from a state.
    pub fn open(session: &'a TrainingSession<'a>, state: &mut TrainingState) -> Self {
        let history = &mut state.history;
        Self {
            run: Run::new(session, std::mem::take(&mut history.common)),
            restarts: AtomicU64::new(history.restarts),
            lengths: Mutex::new(history.lengths),
            phase: history.phase,
        }
    }

    /// Counts a finished game. Games from restarts are neither episodes nor in the statistics.
    pub fn add_game<G: Game>(&self, game: &G, finished: &TrainingGame) {
        if finished.origin == Origin::Whole {
            locked(&self.lengths).add(finished.moves);
            self.run.add_game(finished.score, game.max_tile(finished.state));
        } else {
            self.restarts.fetch_add(1, Relaxed);
        }
    }

    pub fn mean_length(&self) -> Option<f64> {
        locked(&self.lengths).get()
    }

    /// Stops the training if its budget is spent, and reports if it is time to, with the counts
    /// of restarts and entrances of stages.
    pub fn update(&self, entrances: &Entrances) {
        self.run.update_with(|| {
            let restarts = self.restarts.load(Relaxed);
            self.run.set_series(series(self.phase, restarts, &entrances.counts()));
        });
    }

    /// Adds what this training has done to the state. The next game has this number.
    pub fn close(self, state: &mut TrainingState, next_game: u64) {
        let history = &mut state.history;
        // The series follow from the rest of the state.
        let series = Vec::new();
        history.common = runner_learning::History { next_game, series, ..self.run.end() };
        history.restarts = self.restarts.into_inner();
        history.lengths = unpoisoned(self.lengths.into_inner());
    }
}
