//! The training that a model has behind it.

use crate::mean_length::MeanLength;
use crate::phase::Phase;
use crate::steps::Rounding;
use runner_core::Start;
use std::collections::VecDeque;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct StageEntrances {
    pub count: u64,
    /// The most recent entrances, oldest first.
    pub recent: VecDeque<Start>,
}

/// The training that a model has behind it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    pub common: runner_learning::History,
    pub lengths: MeanLength,
    pub restarts: u64,
    pub entrances: Vec<StageEntrances>,
    /// True if the weights of redundant tuples were added to others after the training.
    pub is_folded: bool,
    pub phase: Option<Phase>,
    /// How the model's file has rounded its weights, unless training or a mean has changed them since.
    pub rounding: Option<Rounding>,
}

impl History {
    /// Returns the training behind the mean of two models: the sum of both. The last games
    /// were not played by the mean, so they are dropped; entrances are positions of any
    /// player, and those of the first model are kept. A multi-stage training stands at
    /// the earlier phase, whose stages are trained in both.
    pub fn joined(self, other: &Self) -> Self {
        Self {
            common: self.common.joined(&other.common),
            lengths: MeanLength::default(),
            restarts: self.restarts.saturating_add(other.restarts),
            is_folded: self.is_folded || other.is_folded,
            phase: match (self.phase, other.phase) {
                (Some(ours), Some(theirs)) if theirs.stage < ours.stage => Some(theirs),
                (ours, theirs) => ours.or(theirs),
            },
            rounding: None,
            ..self
        }
    }
}
