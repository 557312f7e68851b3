//! The state of a learner between trainings, and its counters during one.

use super::game::TrainingGame;
use crate::starts::{Entrances, Origin};
use agent_ntuple_files::{History, MeanLength, Phase};
use runner_core::{Game, TrainingBudget, TrainingProgress, TrainingSession, locked, unpoisoned};
use runner_learning::{Run, Trained};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The counters, recent results and unfinished games of a learner between trainings.
#[derive(Debug, Default)]
pub struct TrainingState {
    /// The part that a model file holds.
    pub history: History,
    /// True if the entrances come from a file and were not compared with the game yet.
    pub(super) has_unchecked_entrances: bool,
    /// Games that the next training continues, the one with the next turn first.
    pub(super) unfinished: Vec<TrainingGame>,
    /// If the last training was interrupted within a batch: its plan, and the share of the plan
    /// that was done when the batch began.
    pub(super) batch_share: Option<(TrainingBudget, f64)>,
}

impl TrainingState {
    /// Returns the state that a model file describes. Unfinished games are not stored, so the
    /// next training begins with a new game.
    pub fn restored(history: History) -> Self {
        Self { history, has_unchecked_entrances: true, ..Self::default() }
    }

    /// Returns the share of the plan that was done when the unfinished batch began. Returns `None`
    /// if there is no unfinished batch, or if it is of a training with another plan.
    pub(super) fn share_at_batch(&self, plan: TrainingBudget) -> Option<f64> {
        match self.batch_share {
            Some((plan_of_batch, share)) if plan_of_batch == plan => Some(share),
            _ => None,
        }
    }
}

impl Trained for TrainingState {
    fn progress(&self) -> TrainingProgress {
        let History { common, phase, restarts, entrances, .. } = &self.history;
        let entrances: Vec<u64> = entrances.iter().map(|stage| stage.count).collect();
        TrainingProgress { series: series(*phase, *restarts, &entrances), ..common.progress() }
    }
}

/// Returns the series of a training: in a multi-stage training the stage that is trained and the
/// number of phases that ended without an entrance of the next stage; the number of restarts, if
/// there are any; and the number of entrances of each stage after the first.
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

/// The counters of a training in progress, shared by its threads.
pub struct Counters<'a> {
    /// Moves, whole games, time, reports and the end of the training.
    pub run: Run<'a>,
    /// Number of restarts that have ended.
    restarts: AtomicU64,
    lengths: Mutex<MeanLength>,
    /// The phase of a multi-stage training, for series.
    phase: Option<Phase>,
}

impl<'a> Counters<'a> {
    /// Takes the counts out of the state of a learner. [`close`](Self::close) puts them back.
    pub fn open(session: &'a TrainingSession<'a>, state: &mut TrainingState) -> Self {
        let history = &mut state.history;
        Self {
            run: Run::new(session, std::mem::take(&mut history.common)),
            restarts: AtomicU64::new(history.restarts),
            lengths: Mutex::new(history.lengths),
            phase: history.phase,
        }
    }

    /// Counts a finished game. Restarts are no episodes, and the statistics exclude them.
    pub fn add_game<G: Game>(&self, game: &G, finished: &TrainingGame) {
        if finished.origin == Origin::Whole {
            locked(&self.lengths).add(finished.moves);
            self.run.add_game(finished.score, game.max_tile(finished.state));
        } else {
            self.restarts.fetch_add(1, Relaxed);
        }
    }

    /// Returns the mean length of recent whole games in moves, if there are any.
    pub fn mean_length(&self) -> Option<f64> {
        locked(&self.lengths).get()
    }

    /// Stops the training if its budget is spent, and makes a report if one is due.
    pub fn check_budget_and_report(&self, entrances: &Entrances) {
        self.run.update_with(|| {
            let restarts = self.restarts.load(Relaxed);
            self.run.set_series(series(self.phase, restarts, &entrances.counts()));
        });
    }

    /// Puts the counts back into the state. `next_game` is the number of the game that begins next.
    pub fn close(self, state: &mut TrainingState, next_game: u64) {
        let history = &mut state.history;
        // `progress` computes the series.
        let series = Vec::new();
        history.common = runner_learning::History { next_game, series, ..self.run.end() };
        history.restarts = self.restarts.into_inner();
        history.lengths = unpoisoned(self.lengths.into_inner());
    }
}
