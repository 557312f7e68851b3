//! A point of a curve, as its file holds it.

use super::evaluations::Evaluated;
use runner_core::TrainingProgress;
use runner_play::inputs::Inputs;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The training of a curve.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrainingOrigin {
    /// Spec of the game.
    pub game: String,
    /// Spec of the learner.
    pub agent: String,
    pub seed: u64,
    /// The plugins and files that the training depends on.
    #[serde(default, skip_serializing_if = "Inputs::is_empty")]
    pub inputs: Inputs,
}

/// A point of a curve: the learner's last games, or an evaluation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// The training, in the first point of a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub training: Option<TrainingOrigin>,
    /// Moves since the learner's first.
    pub moves: u64,
    /// Finished games since the learner's first.
    pub episodes: u64,
    pub seconds: f64,
    /// Mean score of the last games.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean: Option<f64>,
    /// Number of the last games.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<u64>,
    /// Share of the last games that reached each tile. Tiles that none reached are left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reached: Option<BTreeMap<u64, f64>>,
    /// Figures of the learner by name, such as a loss.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub series: BTreeMap<String, f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evaluation: Option<Evaluated>,
}

impl Point {
    /// Returns the figures that charts show.
    pub fn figures(&self) -> impl Iterator<Item = f64> {
        let evaluated = self.evaluation.iter().flat_map(|evaluated| {
            evaluated.mean.into_iter().chain(evaluated.ci95.into_iter().flatten())
        });
        self.mean.into_iter().chain(evaluated).chain(self.series.values().copied())
    }

    /// Returns a point at this progress that holds nothing yet.
    pub fn at(now: &TrainingProgress) -> Self {
        let (moves, episodes, seconds) = (now.moves, now.episodes, now.elapsed.as_secs_f64());
        Self {
            training: None,
            moves,
            episodes,
            seconds,
            mean: None,
            window: None,
            reached: None,
            series: BTreeMap::new(),
            evaluation: None,
        }
    }
}

/// Returns the share of the last games that reached each tile, without those that none
/// reached: a game reaches all tiles up to its max tile.
pub fn reached(now: &TrainingProgress, tiles: &[u64]) -> Vec<(u64, f64)> {
    let mut shares = Vec::new();
    for &tile in tiles {
        let ended = now.ended.iter().filter(|&&(max_tile, _)| max_tile >= tile);
        let games: f64 = ended.map(|&(_, games)| games as f64).sum();
        if games > 0.0 {
            shares.push((tile, games / now.window.max(1) as f64));
        }
    }
    shares
}

/// Returns the figures of a learner by name, without those that JSON cannot hold.
pub fn finite_series(now: &TrainingProgress) -> BTreeMap<String, f64> {
    now.series.iter().filter(|(_, figure)| figure.is_finite()).cloned().collect()
}
