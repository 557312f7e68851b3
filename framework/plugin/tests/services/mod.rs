//! The parts of the program that these tests need: plugins that are found by name, and a host for
//! them.

use runner_core::{BuildError, Fault, Host, Spec};
use runner_plugin::{
    BuildOutcome, DynAgent, DynGame, DynValue, PluginHost, PluginInfo, PluginKind, RootRef,
    SharedHost, linked,
};
use std::sync::Arc;

#[derive(Clone, Debug)]
pub struct LoadedGame {
    pub rules: Arc<DynGame>,
    /// Resolved.
    pub spec: Spec,
}

/// Plugins that are linked in.
#[derive(Clone)]
pub struct Plugins(Arc<[PluginInfo]>);

impl Plugins {
    pub fn linked(roots: impl IntoIterator<Item = RootRef>) -> Self {
        Self(roots.into_iter().flat_map(|root| linked(root).unwrap()).collect())
    }

    fn find(&self, spec: &Spec) -> Result<&PluginInfo, BuildError> {
        let found = self.0.iter().find(|plugin| plugin.name == spec.name());
        found.ok_or_else(|| BuildError::new(format!("there is no plugin `{}`", spec.name())))
    }

    pub fn game(&self, spec: &Spec) -> Result<LoadedGame, BuildError> {
        let (rules, spec) = self.rules_and_spec(spec)?;
        Ok(LoadedGame { rules: Arc::new(rules), spec })
    }

    fn rules_and_spec(&self, spec: &Spec) -> Result<(DynGame, Spec), BuildError> {
        let host = SharedHost::new(TestHost { plugins: self.clone(), game: None, broken: false });
        flatten(self.find(spec)?.build_game(spec, &host))
    }

    pub fn value(
        &self,
        spec: &Spec,
        game: &LoadedGame,
        host: &Arc<SharedHost>,
    ) -> Result<DynValue, BuildError> {
        let plugin = self.find(spec)?;
        flatten(plugin.build_value(spec, (&game.rules, &game.spec), host)).map(|(value, _)| value)
    }

    pub fn agent(
        &self,
        spec: &Spec,
        game: &LoadedGame,
        host: &Arc<SharedHost>,
    ) -> Result<DynAgent, BuildError> {
        let plugin = self.find(spec)?;
        flatten(plugin.build_agent(spec, (&game.rules, &game.spec), host)).map(|(agent, _)| agent)
    }
}

/// Makes both kinds of error one.
fn flatten<T>(outcome: BuildOutcome<T>) -> Result<(T, Spec), BuildError> {
    outcome.map_err(|Fault(message)| BuildError::new(message))?.map_err(BuildError::new)
}

/// A host with one thread.
pub struct TestHost {
    plugins: Plugins,
    /// The game that it builds values and agents for; none for the host of a game.
    game: Option<LoadedGame>,
    /// Makes every service panic.
    broken: bool,
}

impl TestHost {
    /// Returns a host for the values and agents of a game.
    pub fn shared(plugins: &Plugins, game: &LoadedGame) -> Arc<SharedHost> {
        SharedHost::new(Self { plugins: plugins.clone(), game: Some(game.clone()), broken: false })
    }

    /// Returns the same host, but its services panic.
    pub fn broken(plugins: &Plugins, game: &LoadedGame) -> Arc<SharedHost> {
        SharedHost::new(Self { plugins: plugins.clone(), game: Some(game.clone()), broken: true })
    }

    fn panic_if_broken(&self, service: &str) {
        assert!(!self.broken, "{service} went wrong");
    }

    fn game(&self) -> &LoadedGame {
        self.game.as_ref().expect("games build no players")
    }
}

impl Host for TestHost {
    fn threads(&self) -> usize {
        self.panic_if_broken("threads");
        1
    }

    fn for_each(&self, n: usize, task: &(dyn Fn(usize) + Sync)) {
        self.panic_if_broken("for_each");
        (0..n).for_each(task);
    }

    fn memory(&self) -> u64 {
        self.panic_if_broken("memory");
        1 << 30
    }
}

impl PluginHost for TestHost {
    fn value_object(&self, spec: &Spec) -> Result<DynValue, BuildError> {
        self.panic_if_broken("value");
        let game = self.game();
        self.plugins.value(spec, game, &Self::shared(&self.plugins, game))
    }

    fn agent_object(&self, spec: &Spec) -> Result<Option<DynAgent>, BuildError> {
        self.panic_if_broken("agent");
        if self.plugins.find(spec)?.kind != PluginKind::Agent {
            return Ok(None);
        }
        let game = self.game();
        self.plugins.agent(spec, game, &Self::shared(&self.plugins, game)).map(Some)
    }

    fn game_object(&self, spec: &Spec) -> Result<DynGame, BuildError> {
        self.panic_if_broken("game");
        self.plugins.rules_and_spec(spec).map(|(rules, _)| rules)
    }
}
