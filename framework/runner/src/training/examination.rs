//! What a learner has to show every so many moves: games that it does not learn
//! from, with a seed of their own.

use crate::evaluation::{self, Limits, Plan};
use crate::failure::{Failure, attributed};
use crate::notes::note;
use crate::player::{NamedPlayer, Player};
use crate::setting::Setting;
use runner_core::{Game, GreedyPolicy, Seed, Spec};
use runner_plugin::{DynValue, Kind};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The seed of all examinations, greater than any that people type: no training
/// knows these games, and all are asked the same.
const SEED: Seed = Seed(1 << 32);

/// What a learner has to show, and when.
pub struct Examination {
    every: u64,
    games: u64,
    players: Vec<NamedPlayer>,
}

/// What was shown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evaluated {
    /// Who played.
    pub agent: String,
    /// The seed of the games.
    pub seed: u64,
    /// How many were played.
    pub games: u64,
    /// Their mean score.
    pub mean: Option<f64>,
    /// Its interval.
    pub ci95: Option<[f64; 2]>,
    /// The share of them that reached each tile; 0 for those that are not named.
    pub reached: BTreeMap<u64, f64>,
}

impl Examination {
    /// Every so many moves so many games are played: by the learner alone, and by
    /// agents that look further with it.
    pub fn new(
        every: u64,
        games: u64,
        with: &[Spec],
        learner: &DynValue,
        setting: &Setting,
    ) -> Result<Self, Failure> {
        let alone = NamedPlayer {
            player: Player::Value(GreedyPolicy(learner.clone())),
            ..setting.player.clone()
        };
        let mut players = vec![alone];
        for spec in with {
            players.push(player(spec, learner, setting)?);
        }
        Ok(Self { every, games, players })
    }

    /// After how many moves of the learner's life the next is, if the last was
    /// after so many.
    pub fn next(&self, last: u64) -> u64 {
        (last / self.every + 1).saturating_mul(self.every)
    }

    /// Lets all play; nothing if the user stops it.
    pub fn hold(&self, setting: &Setting) -> Result<Option<Vec<Evaluated>>, Failure> {
        let mut results = Vec::new();
        for named in &self.players {
            let plan = Plan {
                game: &setting.game,
                games: self.games,
                seed: SEED,
                threads: &setting.threads,
                time: None,
                limits: Limits::default(),
            };
            let played = evaluation::play(&plan, &named.player, None)?;
            if played.interrupted {
                return Ok(None);
            }
            if let Some(first) = played.fault_messages.first() {
                let whose = [setting.game.whose.as_str(), named.whose.as_str()];
                note(format!(
                    "note: {} of {} games of an evaluation ended in a fault: {}",
                    played.faults,
                    self.games,
                    attributed(first, &whose)
                ));
            }
            let description = setting.game.rules.description();
            let summary = played.results.summary(&description.tiles);
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

/// An agent that is given the learner as its value.
fn player(spec: &Spec, learner: &DynValue, setting: &Setting) -> Result<NamedPlayer, Failure> {
    let registry = setting.services.registry();
    let info = registry.player_kind(spec.name())?;
    if info.kind != Kind::Agent || !info.parameters.iter().any(|p| p.name == "value") {
        return Err(Failure::usage(format!(
            "`{}` cannot look further with the learner: an agent with a parameter `value` can",
            spec.name()
        )));
    }
    let services = setting.services.with_value(&setting.player.spec, learner);
    let whole = spec.with("value", &setting.player.spec.to_string())?;
    let built = NamedPlayer::build(registry, &whole, &setting.game, &services)?;
    // Its own spec would tell the learner's over again.
    Ok(NamedPlayer { spec: spec.clone(), ..built })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examinations_lie_at_the_multiples_whatever_the_training_began_with() {
        let examination = Examination { every: 10, games: 1, players: Vec::new() };
        assert_eq!([0, 9, 10, 11, 25].map(|last| examination.next(last)), [10, 10, 20, 20, 30]);
        let rare = Examination { every: u64::MAX, ..examination };
        assert_eq!(rare.next(u64::MAX), u64::MAX);
    }
}
