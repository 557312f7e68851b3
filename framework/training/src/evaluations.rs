//! Evaluations at an interval of moves during a training. The learner does not learn from them.

use super::event::TrainingWatch;
use super::learned;
use runner_core::{Game, Seed, Spec};
use runner_play::evaluation::Plan;
use runner_play::failure::Failure;
use runner_play::player::NamedPlayer;
use runner_play::setting::Setting;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

/// Seed of all evaluations, so that all learners play with the same random numbers. It is larger
/// than the seeds that people type.
const SEED: Seed = Seed(1 << 32);

/// When a learner is evaluated, and which players use it.
pub struct Evaluations {
    /// Number of training moves between two evaluations.
    interval: u64,
    /// Number of games of each player.
    games: u64,
    players: Vec<NamedPlayer>,
}

/// The result of one player in one evaluation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evaluated {
    /// Spec of the player.
    pub agent: String,
    pub seed: u64,
    pub games: u64,
    pub mean: Option<f64>,
    /// 95% interval of the mean.
    pub ci95: Option<[f64; 2]>,
    /// Share of the games that reached each tile. Tiles that none reached are left out.
    pub reached: BTreeMap<u64, f64>,
}

impl Evaluations {
    /// Default number of games of each player.
    pub const GAMES: u64 = 1000;

    /// Evaluates every `interval` moves, over this many games of each player: the learner itself,
    /// greedily, and each agent of `with`.
    pub fn new(
        interval: u64,
        games: u64,
        with: &[Spec],
        setting: &Setting,
    ) -> Result<Self, Failure> {
        let mut players = vec![learned::player(None, setting)?];
        for spec in with {
            // The player is named without the learner's spec, which the report has already.
            let player = learned::player(Some(spec), setting)?;
            players.push(NamedPlayer { spec: spec.clone(), ..player });
        }
        Ok(Self { interval, games, players })
    }

    /// Returns the number of moves at the first evaluation after `last` moves. Evaluations are at
    /// multiples of the interval, wherever the training began.
    pub fn next(&self, last: u64) -> u64 {
        (last / self.interval + 1).saturating_mul(self.interval)
    }

    /// Plays the games of all players; returns `None` if `stop` ended them.
    pub fn play(
        &self,
        setting: &Setting,
        stop: &AtomicBool,
        watch: TrainingWatch<'_>,
    ) -> Result<Option<Vec<Evaluated>>, Failure> {
        let mut results = Vec::new();
        for named in &self.players {
            let plan = Plan::new(&setting.game, self.games, SEED, &setting.threads);
            let played = learned::evaluate("evaluation", &plan, named, stop, watch)?;
            let Some(played) = played else { return Ok(None) };
            let description = setting.game.rules.description();
            let summary = played.results.summary(&description.tiles, played.faults.count());
            results.push(Evaluated {
                agent: named.spec.to_string(),
                seed: SEED.0,
                games: summary.games,
                mean: summary.score.mean,
                ci95: summary.score.ci95,
                reached: summary.tiles.iter().map(|tile| (tile.tile, tile.rate)).collect(),
            });
        }
        Ok(Some(results))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evaluations_are_at_multiples_of_the_interval() {
        let evaluations = Evaluations { interval: 10, games: 1, players: Vec::new() };
        assert_eq!([0, 9, 10, 11, 25].map(|last| evaluations.next(last)), [10, 10, 20, 20, 30]);
        let rare = Evaluations { interval: u64::MAX, ..evaluations };
        assert_eq!(rare.next(u64::MAX), u64::MAX);
    }
}
