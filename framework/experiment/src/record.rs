//! The lines of `results.jsonl`: one for each training and each evaluation that is done.

use runner_stats::{Scores, TileRate};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The result of a training or of an evaluation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum ExperimentRecord {
    Training(TrainingRecord),
    Evaluation(EvaluationRecord),
}

/// A training that is done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainingRecord {
    pub configuration: String,
    pub seed: u64,
    /// Resolved spec of the learner.
    pub agent: String,
    pub moves: u64,
    pub episodes: u64,
    pub seconds: f64,
    pub threads: usize,
    /// Mean score of the last games.
    pub mean: Option<f64>,
    /// Max tile of the last games.
    pub max_tile: u64,
    /// Figures of the learner by name, such as the stage that it has trained last.
    #[serde(default)]
    pub series: BTreeMap<String, f64>,
    /// The model, in the folder of the experiment.
    pub model: String,
}

/// An evaluation that is done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EvaluationRecord {
    pub configuration: String,
    pub seed: u64,
    pub evaluation: String,
    /// Resolved spec of the player.
    pub agent: String,
    pub games: u64,
    pub moves: u64,
    pub seconds: f64,
    pub threads: usize,
    /// Number of further games that ended in a fault.
    pub faults: u64,
    pub score: Scores,
    /// Mean of the maximum scores of every 100 games.
    pub maximum: Option<f64>,
    /// Rates of the tiles that were reached.
    pub tiles: Vec<TileRate>,
    /// Scores of equal distance in the order of all, from the least to the largest; at most 201.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quantiles: Vec<f64>,
}

impl ExperimentRecord {
    pub fn configuration(&self) -> &str {
        match self {
            Self::Training(training) => &training.configuration,
            Self::Evaluation(evaluation) => &evaluation.configuration,
        }
    }
}
