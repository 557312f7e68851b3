//! The state of a learner between trainings.

use super::game::TrainingGame;
use super::series::series;
use agent_ntuple_files::{History, MeanLength, Phase, StageEntrances};
use runner_core::TrainingProgress;
use runner_learning::{RecentGames, Trained};
use std::time::Duration;

/// The counters, recent results and unfinished games of a learner.
#[derive(Debug, Default)]
pub struct TrainingState {
    pub(super) moves: u64,
    pub(super) episodes: u64,
    pub(super) elapsed: Duration,
    pub(super) next_game: u64,
    pub(super) recent: RecentGames,
    /// Games that began at a restart.
    pub(super) restarts: u64,
    pub(super) has_restarts: bool,
    /// Mean length of recent whole games.
    pub(super) lengths: MeanLength,
    /// The entrances of each stage after the first.
    pub(super) entrances: Vec<StageEntrances>,
    /// Where a multi-stage training stands; `None` in other trainings.
    pub(crate) phase: Option<Phase>,
    /// True if the entrances come from a file and were not compared with the game yet.
    pub(super) unchecked: bool,
    /// Games that the next training continues, the one with the next turn first.
    pub(super) unfinished: Vec<TrainingGame>,
}

impl TrainingState {
    /// Returns the state that a model file describes. Unfinished games are not stored, so the
    /// next training begins with a new game.
    pub fn restored(history: &History) -> Self {
        let &History { moves, episodes, elapsed, next_game, restarts, lengths, .. } = history;
        let recent = history.recent.iter().copied().collect();
        let (has_restarts, entrances) = (restarts > 0, history.entrances.clone());
        let state =
            Self { moves, episodes, elapsed, next_game, recent, lengths, ..Self::default() };
        let phase = history.phase;
        Self { restarts, has_restarts, entrances, phase, unchecked: true, ..state }
    }

    /// Returns what a model file stores of a training with this seed.
    pub fn history(&self, seed: u64) -> History {
        let &Self { moves, episodes, elapsed, next_game, restarts, lengths, .. } = self;
        let recent = self.recent.games().collect();
        let entrances = self.entrances.clone();
        let phase = self.phase;
        let is_folded = false;
        History {
            moves,
            episodes,
            elapsed,
            next_game,
            seed,
            recent,
            lengths,
            restarts,
            entrances,
            phase,
            is_folded,
        }
    }

    /// Returns the progress of all trainings together.
    pub fn progress(&self) -> TrainingProgress {
        self.recent.in_progress(TrainingProgress {
            moves: self.moves,
            episodes: self.episodes,
            elapsed: self.elapsed,
            series: series(
                self.phase,
                self.has_restarts.then_some(self.restarts),
                &self.entrances.iter().map(|stage| stage.count).collect::<Vec<_>>(),
            ),
            ..TrainingProgress::default()
        })
    }

    /// Returns the number of the next game to begin.
    pub fn next_game(&self) -> u64 {
        self.next_game
    }
}

impl Trained for TrainingState {
    fn progress(&self) -> TrainingProgress {
        self.progress()
    }
}
