//! A game and its player, built from their specs.

use crate::brief;
use crate::failure::Failure;
use crate::learners;
use crate::models::{self, Mismatch};
use crate::player::NamedPlayer;
use crate::registry::{LoadedGame, Registry};
use crate::threads::{Services, Threads};
use runner_core::{Seed, Spec};
use runner_files::Header;
use runner_plugin::DynValue;
use std::sync::Arc;

#[derive(Clone, Copy, Debug)]
pub struct Resources {
    /// Number of threads; one per core if `None`.
    pub threads: Option<usize>,
    pub seed: Seed,
}

impl Default for Resources {
    fn default() -> Self {
        Self { threads: None, seed: Seed(1) }
    }
}

/// A game, its player, and the threads they run on.
pub struct Setting {
    pub game: LoadedGame,
    pub player: NamedPlayer,
    /// True if the player's spec names the model that it plays.
    names_model: bool,
    pub threads: Threads,
    pub services: Services,
    pub seed: Seed,
}

impl Setting {
    pub fn new(
        game: &Spec,
        agent: &Spec,
        resources: Resources,
        registry: &Arc<Registry>,
    ) -> Result<Self, Failure> {
        let threads = Threads::new(resources.threads)?;
        Self::of_game(registry.game(game)?, agent, threads, resources.seed, registry)
    }

    pub fn of_game(
        game: LoadedGame,
        agent: &Spec,
        threads: Threads,
        seed: Seed,
        registry: &Arc<Registry>,
    ) -> Result<Self, Failure> {
        let services = Services::new(&threads, registry, &game).refusing_untrained();
        let player = NamedPlayer::build(registry, agent, &game, &services)?;
        Ok(Self {
            game,
            player,
            names_model: learners::model(agent) != learners::Model::None,
            threads,
            services,
            seed,
        })
    }

    pub fn brief_game(&self) -> Spec {
        brief::game(&self.game.spec, self.services.registry())
    }

    pub fn brief_player(&self) -> Spec {
        brief::player(&self.player.spec, self.services.registry())
    }

    /// Refuses a player that is a learner without a model. Nested ones were refused when the
    /// player was built.
    pub fn refuse_untrained(&self) -> Result<(), Failure> {
        self.player.refuse_untrained(&self.game, self.services.registry())
    }

    /// Returns the first property in which a model differs from a training of this setting.
    pub fn mismatch(&self, header: &Header) -> Option<Mismatch> {
        let (game, learner) = (&self.game.spec, &self.player.spec);
        models::mismatch(header, game, learner, self.seed.0, self.services.registry())
    }

    /// Returns the player for a training: it must be a learner, and its spec must name no model.
    pub fn trained_learner(&self) -> Result<&DynValue, Failure> {
        let name = self.player.spec.name();
        if self.names_model {
            return Err(Failure::usage(format!(
                "`{name}` plays the model that it names and does not learn: leave out its \
                 `model`, and resume the training of that file"
            )));
        }
        self.player.learner().ok_or_else(|| {
            let plugins = self.services.registry().plugins();
            let learning = plugins.into_iter().filter(|plugin| plugin.learner);
            let names: Vec<_> = learning.map(|plugin| plugin.name).collect();
            let known = if names.is_empty() { "none".into() } else { names.join(", ") };
            Failure::usage(format!("`{name}` does not learn; learners: {known}"))
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
