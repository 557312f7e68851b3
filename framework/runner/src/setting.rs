//! A game and its player, built from the options that name them.

use crate::brief::brief;
use crate::failure::Failure;
use crate::options::{PlayerOptions, ResourceOptions};
use crate::player::NamedPlayer;
use crate::threads::{Services, Threads};
use runner_core::{Seed, Spec};
use runner_plugin::{Kind, LoadedGame, Registry};
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::sync::Arc;

/// The one parameter that learners have in common.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Model {
    model: Option<IgnoredAny>,
}

/// A game, its player, and what they run on.
pub struct Setting {
    /// The game.
    pub game: LoadedGame,
    /// The player.
    pub player: NamedPlayer,
    /// True if the player's spec names the model that it plays.
    pub names_model: bool,
    /// The threads.
    pub threads: Threads,
    /// What the host offers to plugins.
    pub services: Services,
    /// The seed of all random numbers.
    pub seed: Seed,
}

impl Setting {
    /// Builds the game and the player.
    pub fn new(
        players: &PlayerOptions,
        resources: &ResourceOptions,
        registry: &Arc<Registry>,
    ) -> Result<Self, Failure> {
        let game = players.game.as_ref().ok_or_else(|| missing_game(registry))?;
        let agent = players.agent.as_ref().ok_or_else(|| missing_agent(registry))?;
        let threads = Threads::new(resources.threads())?;
        let game = registry.game(game)?;
        let services = Services::new(&threads, registry, &game);
        let player = NamedPlayer::build(registry, agent, &game, &services)?;
        Ok(Self {
            game,
            player,
            names_model: agent.read::<Model>()?.model.is_some(),
            threads,
            services,
            seed: resources.seed(),
        })
    }

    /// Returns the specs of both for people, without parameters that have their default
    /// values: `2048(rows: 3) by greedy`.
    pub fn title(&self, verb: &str) -> String {
        title(&self.game.spec, verb, &self.player.spec, self.services.registry())
    }

    /// Replaces the player. The first one is dropped before the other is built: a
    /// network may fill most of the memory.
    pub fn with_player(self, registry: &Registry, spec: &Spec) -> Result<Self, Failure> {
        drop(self.player);
        let player = NamedPlayer::build(registry, spec, &self.game, &self.services)?;
        Ok(Self { player, ..self })
    }
}

/// Returns two specs for people, without parameters that have their default values.
pub fn title(game: &Spec, verb: &str, player: &Spec, registry: &Registry) -> String {
    format!("{} {verb} {}", brief(game, registry), brief(player, registry))
}

/// Returns the error of a command line that names no game.
pub fn missing_game(registry: &Registry) -> Failure {
    missing("--game", &[Kind::Game], registry)
}

/// Returns the error of a command line that names no player.
pub fn missing_agent(registry: &Registry) -> Failure {
    missing("--agent", &[Kind::Agent, Kind::Value], registry)
}

fn missing(flag: &str, wanted: &[Kind], registry: &Registry) -> Failure {
    let plugins = registry.plugins();
    let names = plugins.iter().filter(|plugin| wanted.contains(&plugin.kind));
    let names: Vec<_> = names.map(|plugin| plugin.name.as_str()).collect();
    Failure::usage(format!("{flag} is missing; there are: {}", names.join(", ")))
}
