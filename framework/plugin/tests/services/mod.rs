//! The program's services, as far as the tests need them.

use runner_core::{BuildError, Host, Spec};
use runner_plugin::{
    DynAgent, DynGame, DynValue, Kind, LoadedGame, PluginHost, Registry, SharedHost,
};
use std::sync::Arc;

/// Returns the test plugins, linked in.
pub fn registry() -> Registry {
    let mut registry = Registry::new();
    for root in [pig::plugin(), test_faulty::plugin(), test_wrap::plugin()] {
        registry.link(root);
    }
    registry
}

pub fn game(registry: &Registry, spec: &str) -> LoadedGame {
    registry.game(&spec.parse().unwrap()).unwrap()
}

/// A host with one thread. Every service of a broken one panics.
pub struct TestHost {
    registry: Registry,
    game: LoadedGame,
    broken: bool,
}

impl TestHost {
    /// Returns a host for the plugins of a game.
    pub fn shared(registry: &Registry, game: &LoadedGame) -> Arc<SharedHost> {
        let (registry, game) = (registry.clone(), game.clone());
        SharedHost::new(Self { registry, game, broken: false })
    }

    /// Returns a host whose services panic.
    pub fn broken(registry: &Registry, game: &LoadedGame) -> Arc<SharedHost> {
        let (registry, game) = (registry.clone(), game.clone());
        SharedHost::new(Self { registry, game, broken: true })
    }

    fn check(&self, service: &str) {
        assert!(!self.broken, "{service} went wrong");
    }

    fn again(&self) -> Arc<SharedHost> {
        Self::shared(&self.registry, &self.game)
    }
}

impl Host for TestHost {
    fn threads(&self) -> usize {
        self.check("threads");
        1
    }

    fn for_each(&self, n: usize, task: &(dyn Fn(usize) + Sync)) {
        self.check("for_each");
        (0..n).for_each(task);
    }

    fn memory(&self) -> u64 {
        self.check("memory");
        1 << 30
    }
}

impl PluginHost for TestHost {
    fn value_object(&self, spec: &Spec) -> Result<DynValue, BuildError> {
        self.check("value");
        let built = self.registry.value(spec, &self.game, &self.again());
        built.map(|loaded| loaded.object).map_err(BuildError::new)
    }

    fn agent_object(&self, spec: &Spec) -> Result<Option<DynAgent>, BuildError> {
        self.check("agent");
        let plugin = self.registry.player_kind(spec.name()).map_err(BuildError::new)?;
        if plugin.kind != Kind::Agent {
            return Ok(None);
        }
        let built = self.registry.agent(spec, &self.game, &self.again());
        built.map(|loaded| Some(loaded.object)).map_err(BuildError::new)
    }

    fn game_object(&self, spec: &Spec) -> Result<DynGame, BuildError> {
        self.check("game");
        self.registry.wrapped_game(spec).map(|game| game.object).map_err(BuildError::new)
    }
}
