//! A game and its player, built from the options that name them.

use crate::brief::brief;
use crate::failure::Failure;
use crate::learners;
use crate::options::{PlayerOptions, ResourceOptions};
use crate::player::NamedPlayer;
use crate::threads::{Services, Threads};
use runner_core::{Seed, Spec};
use runner_plugin::{DynValue, Kind, LoadedGame, Registry};
use std::sync::Arc;

/// A game, its player, and the threads they run on.
pub struct Setting {
    /// The game.
    pub game: LoadedGame,
    /// The player.
    pub player: NamedPlayer,
    /// True if the player's spec names the model that it plays.
    pub names_model: bool,
    /// The threads.
    pub threads: Threads,
    /// Services of the host for plugins.
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
        let services = Services::new(&threads, registry, &game).refusing_untrained();
        let player = NamedPlayer::build(registry, agent, &game, &services)?;
        Ok(Self {
            game,
            player,
            names_model: learners::model(agent) != learners::Model::None,
            threads,
            services,
            seed: resources.seed(),
        })
    }

    /// Returns the game for people: its spec without parameters that have their defaults.
    pub fn brief_game(&self) -> Spec {
        brief(&self.game.spec, self.services.registry())
    }

    /// Returns the player for people, like [`brief_game`](Self::brief_game).
    pub fn brief_player(&self) -> Spec {
        brief(&self.player.spec, self.services.registry())
    }

    /// Refuses a player that is a learner without a model. Nested ones were refused when the
    /// player was built.
    pub fn refuse_untrained(&self) -> Result<(), Failure> {
        self.player.refuse_untrained(&self.game, self.services.registry())
    }

    /// Returns the player as a learner that is to be trained.
    pub fn trained_learner(&self) -> Result<&DynValue, Failure> {
        let name = self.player.spec.name();
        if self.names_model {
            return Err(Failure::usage(format!(
                "`{name}` plays the model that it names and does not learn: leave out its \
                 `model`, and resume the model with --model FILE --resume"
            )));
        }
        self.player.learner().ok_or_else(|| {
            let plugins = self.services.registry().plugins();
            let learners = plugins.into_iter().filter(|plugin| plugin.learner);
            let learners: Vec<_> = learners.map(|plugin| plugin.name).collect();
            let learners = if learners.is_empty() { "none".into() } else { learners.join(", ") };
            Failure::usage(format!("`{name}` does not learn; learners: {learners}"))
        })
    }

    /// Replaces the player. The first one is dropped before the other is built: a
    /// network may fill most of the memory.
    pub fn with_player(self, registry: &Registry, spec: &Spec) -> Result<Self, Failure> {
        drop(self.player);
        let player = NamedPlayer::build(registry, spec, &self.game, &self.services)?;
        Ok(Self { player, ..self })
    }
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
