//! The state of a learner between trainings.

use super::game::TrainingGame;
use agent_ntuple_files::{History, Phase};
use runner_core::TrainingProgress;
use runner_learning::Trained;

/// The counters, recent results and unfinished games of a learner.
#[derive(Debug, Default)]
pub struct TrainingState {
    /// The part that a model file holds.
    pub history: History,
    pub(super) has_restarts: bool,
    /// True if the entrances come from a file and were not compared with the game yet.
    pub(super) unchecked: bool,
    /// Games that the next training continues, the one with the next turn first.
    pub(super) unfinished: Vec<TrainingGame>,
}

impl TrainingState {
    /// Returns the state that a model file describes. Unfinished games are not stored, so the
    /// next training begins with a new game.
    pub fn restored(history: History) -> Self {
        let has_restarts = history.restarts > 0;
        Self { history, has_restarts, unchecked: true, unfinished: Vec::new() }
    }

    pub fn progress(&self) -> TrainingProgress {
        let History { common, phase, restarts, entrances, .. } = &self.history;
        let restarts = self.has_restarts.then_some(*restarts);
        let entrances: Vec<u64> = entrances.iter().map(|stage| stage.count).collect();
        TrainingProgress { series: series(*phase, restarts, &entrances), ..common.progress() }
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
/// restart, if any do; and entrances of each stage after the first.
pub fn series(
    phase: Option<Phase>,
    restarts: Option<u64>,
    entrances: &[u64],
) -> Vec<(String, f64)> {
    let phase = phase.into_iter().flat_map(|phase| {
        let missed = phase.number - phase.stage;
        [("stage", phase.stage), ("phases without entrance", missed)]
    });
    let phase = phase.map(|(name, figure)| (name.to_owned(), figure as f64));
    let restarts = restarts.map(|count| ("restarts".to_owned(), count as f64));
    let stages = entrances.iter().zip(1..);
    let stages = stages.map(|(&count, stage)| (format!("entered stage {stage}"), count as f64));
    phase.chain(restarts).chain(stages).collect()
}
