//! A point of a curve, as its file holds it.

use super::evaluations::Evaluated;
use runner_core::TrainingProgress;
use runner_play::inputs::Inputs;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The inputs that determine the training of a curve.
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

/// A point of a curve: the figures of the learner's last games, or an evaluation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// The training, in the first point of a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub training: Option<TrainingOrigin>,
    /// Number of all training moves of the learner.
    pub moves: u64,
    /// Number of all finished training games.
    pub episodes: u64,
    pub seconds: f64,
    /// Mean score of the last games.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean: Option<f64>,
    /// Number of these games.
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
    /// Returns all numbers of the point that charts show.
    pub fn figures(&self) -> impl Iterator<Item = f64> {
        let of_evaluation = self.evaluation.iter().flat_map(|evaluated| {
            evaluated.mean.into_iter().chain(evaluated.ci95.into_iter().flatten())
        });
        self.mean.into_iter().chain(of_evaluation).chain(self.series.values().copied())
    }

    /// Returns a point at this progress, to which the results are to be added.
    pub fn at(now: &TrainingProgress) -> Self {
        Self {
            moves: now.moves,
            episodes: now.episodes,
            seconds: now.elapsed.as_secs_f64(),
            ..Self::default()
        }
    }
}

/// Returns the share of the last games that reached each tile, if any did.
pub fn reached(now: &TrainingProgress, tiles: &[u64]) -> Vec<(u64, f64)> {
    let mut shares = Vec::new();
    for &tile in tiles {
        // A game has reached all tiles up to its max tile.
        let ended = now.ended.iter().filter(|&&(max_tile, _)| max_tile >= tile);
        let games: f64 = ended.map(|&(_, games)| games as f64).sum();
        if games > 0.0 {
            shares.push((tile, games / now.window.max(1) as f64));
        }
    }
    shares
}

/// Returns the figures of a learner by name, without infinities and NaN, which JSON cannot hold.
pub fn finite_series(now: &TrainingProgress) -> BTreeMap<String, f64> {
    now.series.iter().filter(|(_, figure)| figure.is_finite()).cloned().collect()
}
