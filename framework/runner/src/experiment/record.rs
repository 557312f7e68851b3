//! The lines of `results.jsonl`: one for each training and each evaluation that is done.

use runner_stats::{GameResult, Scores, TileRate};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The result of a training or of an evaluation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Record {
    /// A training.
    Training(TrainingRecord),
    /// An evaluation.
    Evaluation(EvaluationRecord),
}

/// A training that is done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainingRecord {
    /// Name of the configuration.
    pub configuration: String,
    /// Seed of the training.
    pub seed: u64,
    /// Resolved spec of the learner.
    pub agent: String,
    /// Number of moves.
    pub moves: u64,
    /// Number of games.
    pub episodes: u64,
    /// Training time in seconds.
    pub seconds: f64,
    /// Number of threads.
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
    /// Name of the configuration.
    pub configuration: String,
    /// Seed of the training.
    pub seed: u64,
    /// Name of the evaluation.
    pub evaluation: String,
    /// Resolved spec of the player.
    pub agent: String,
    /// Number of games.
    pub games: u64,
    /// Number of moves.
    pub moves: u64,
    /// Time in seconds.
    pub seconds: f64,
    /// Number of threads.
    pub threads: usize,
    /// Number of further games that ended in a fault.
    pub faults: u64,
    /// Distribution of the scores.
    pub score: Scores,
    /// Mean of the maximum scores of every 100 games.
    pub maximum: Option<f64>,
    /// Rates of the tiles that were reached.
    pub tiles: Vec<TileRate>,
}

impl Record {
    /// Returns the name of the configuration and the seed of the training.
    pub fn of(&self) -> (&str, u64) {
        match self {
            Self::Training(training) => (&training.configuration, training.seed),
            Self::Evaluation(evaluation) => (&evaluation.configuration, evaluation.seed),
        }
    }
}

/// Number of games whose maximum score the papers average.
const BLOCK: usize = 100;

/// Returns the mean of the maximum scores of every 100 games; `None` for fewer games.
pub fn mean_maximum(games: &[GameResult]) -> Option<f64> {
    let mut games: Vec<_> = games.iter().map(|game| (game.number, game.score)).collect();
    games.sort_by_key(|&(number, _)| number);
    let blocks = games.chunks_exact(BLOCK);
    let count = blocks.len();
    let maximum = |block: &[(u64, f64)]| block.iter().map(|game| game.1).fold(f64::MIN, f64::max);
    (count > 0).then(|| blocks.map(maximum).sum::<f64>() / count as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_maximum_ignores_an_incomplete_block() {
        let game =
            |number: u64| GameResult { number, score: number as f64, moves: 1, max_tile: None };
        let games: Vec<_> = (0..250).rev().map(game).collect();
        assert_eq!(mean_maximum(&games), Some((99.0 + 199.0) / 2.0));
        assert_eq!(mean_maximum(&games[..99]), None);
    }
}
