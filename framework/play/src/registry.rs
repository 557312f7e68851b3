//! The plugins that are known by name, and how objects are built from specs: [`Registry`].

mod catalog;
mod search;

pub use catalog::unknown;
pub use search::{SearchPath, library_name};

use crate::brief;
use crate::calls::Calls;
use crate::chances::Chances;
use crate::failure::Failure;
use runner_core::{BuildError, Fault, ForeignModel, Host, Preset, Spec, SpecError, locked};
use runner_plugin::{
    BuildOutcome, DynAgent, DynGame, DynValue, PluginHost, PluginInfo, PluginKind, Problem,
    SharedHost,
};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

#[derive(Clone, Debug)]
pub struct LoadedGame {
    pub rules: Arc<DynGame>,
    pub name: String,
    pub version: String,
    /// The resolved spec, defaults included.
    pub spec: Spec,
    /// Kind, name and file, for messages about its faults.
    pub label: String,
    /// The calls under way of all plugins of the registry.
    pub calls: Calls,
}

/// The plugins that are known by name.
#[derive(Clone, Default)]
pub struct Registry {
    registered: Vec<Registered>,
    problems: Vec<Problem>,
    /// The packages of the plugins that are linked into the program.
    linked: BTreeSet<String>,
    /// The file names of all loaded libraries, so that a copy in a later folder is not loaded.
    names: BTreeSet<OsString>,
    /// The canonical paths of all loaded libraries, so that none is loaded twice.
    files: BTreeSet<PathBuf>,
    examiner: Arc<OnceLock<Examiner>>,
    calls: Calls,
    /// A table for [`Chances::of`].
    chances: &'static str,
}

/// A plugin that is known by name.
#[derive(Clone)]
struct Registered {
    info: PluginInfo,
    /// Set if another library has a plugin with its name: the reason why neither can be used.
    ambiguous: Option<String>,
}

/// The host of games: it builds the games that they wrap, and runs tasks on the calling thread.
struct GameHost(Registry);

impl Host for GameHost {
    fn threads(&self) -> usize {
        1
    }

    fn for_each(&self, n: usize, task: &(dyn Fn(usize) + Sync)) {
        (0..n).for_each(task);
    }
}

impl PluginHost for GameHost {
    fn game_object(&self, spec: &Spec) -> Result<DynGame, BuildError> {
        self.0.wrapped_game(spec).map_err(BuildError::new)
    }
}

/// Examines games whose plugin does not come with the program, each once.
struct Examiner {
    examine: Box<dyn Fn(&LoadedGame) + Send + Sync>,
    /// The specs of the games that were examined.
    done: Mutex<BTreeSet<String>>,
}

impl Registry {
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the function that [`game`](Self::game) calls with each game that it builds for the
    /// first time, if its plugin does not come with the program. A second function is ignored.
    pub fn examine_games(&self, examine: impl Fn(&LoadedGame) + Send + Sync + 'static) {
        let _ = self.examiner.set(Examiner { examine: Box::new(examine), done: Mutex::default() });
    }

    /// Sets the table of the chances of large tiles, for [`Chances::of`].
    pub fn link_chances(&mut self, table: &'static str) {
        self.chances = table;
    }

    /// Looks up the chances of a player in a game by their resolved specs.
    pub fn chances(&self, game: &Spec, player: &Spec) -> Chances {
        let [game, player] = [brief::game(game, self), brief::player(player, self)];
        Chances::of(self.chances, &game.to_string(), &player.to_string())
    }

    /// Returns the register of calls under way. Constructors are among them, and all calls of
    /// games and players that the registry has built.
    pub fn calls(&self) -> &Calls {
        &self.calls
    }

    /// Returns the player with a name: an agent, or a value to play greedily.
    pub fn player(&self, name: &str) -> Result<&PluginInfo, Failure> {
        self.find("agent", &[PluginKind::Agent, PluginKind::Value], name)
    }

    pub fn value_plugin(&self, name: &str) -> Result<&PluginInfo, Failure> {
        self.find("value", &[PluginKind::Value], name)
    }

    pub fn game_plugin(&self, name: &str) -> Result<&PluginInfo, Failure> {
        self.find("game", &[PluginKind::Game], name)
    }

    /// Builds a game, which may wrap other games of this registry. It is examined if it is new.
    pub fn game(&self, spec: &Spec) -> Result<LoadedGame, Failure> {
        let plugin = self.game_plugin(spec.name())?;
        let (rules, resolved) = self.build_rules(plugin, spec)?;
        let game = LoadedGame {
            rules: Arc::new(rules),
            name: plugin.name.clone(),
            version: plugin.version.clone(),
            spec: resolved,
            label: plugin.label(),
            calls: self.calls.clone(),
        };
        if let Some(Examiner { examine, done }) = self.examiner.get()
            && !self.linked.contains(&plugin.package)
        {
            let is_new = locked(done).insert(game.spec.to_string());
            if is_new {
                examine(&game);
            }
        }
        Ok(game)
    }

    /// Builds a game for a plugin, such as one that another game wraps.
    pub fn wrapped_game(&self, spec: &Spec) -> Result<DynGame, Failure> {
        let plugin = self.game_plugin(spec.name())?;
        self.build_rules(plugin, spec).map(|(rules, _)| rules)
    }

    fn build_rules(&self, plugin: &PluginInfo, spec: &Spec) -> Result<(DynGame, Spec), Failure> {
        let host = SharedHost::new(GameHost(self.clone()));
        self.build(plugin, spec, |spec| plugin.build_game(spec, &host))
    }

    /// Builds a value with its resolved spec.
    pub fn value(
        &self,
        spec: &Spec,
        game: &LoadedGame,
        host: &Arc<SharedHost>,
    ) -> Result<(DynValue, Spec), Failure> {
        let plugin = self.value_plugin(spec.name())?;
        self.build(plugin, spec, |spec| plugin.build_value(spec, (&game.rules, &game.spec), host))
    }

    /// Builds an agent with its resolved spec.
    pub fn agent(
        &self,
        spec: &Spec,
        game: &LoadedGame,
        host: &Arc<SharedHost>,
    ) -> Result<(DynAgent, Spec), Failure> {
        let plugin = self.find("agent", &[PluginKind::Agent], spec.name())?;
        self.build(plugin, spec, |spec| plugin.build_agent(spec, (&game.rules, &game.spec), host))
    }

    /// Returns an object that the function `build` of the plugin builds, with its resolved spec.
    fn build<T>(
        &self,
        plugin: &PluginInfo,
        spec: &Spec,
        build: impl FnOnce(&Spec) -> BuildOutcome<T>,
    ) -> Result<(T, Spec), Failure> {
        let refused = |error: SpecError| {
            Failure::from(error).of(&format!("{} `{}`", plugin.kind, plugin.name))
        };
        let complete = spec.with_preset(&plugin.presets).map_err(refused)?;
        let label = plugin.label();
        let entered = self.calls.enter_constructor(&label);
        let outcome = build(&complete);
        drop(entered);
        match outcome {
            Err(fault) => Err(failed(plugin, &fault)),
            Ok(Err(error)) => Err(refused(complete.in_typed_text(with_preset(plugin, error)))),
            Ok(Ok((object, resolved))) => {
                Ok((object, self.with_nested_presets(&resolved, Some(plugin))))
            }
        }
    }

    /// Returns what the first learner that knows the format finds in a model file of another
    /// program; `None` if none does. If `whole` is true, the whole file is read and checked.
    pub fn foreign(&self, file: &Path, whole: bool) -> Result<Option<ForeignModel>, Fault> {
        for plugin in &self.registered {
            if let Some(model) = plugin.info.foreign(file, whole)? {
                return Ok(Some(model));
            }
        }
        Ok(None)
    }
}

/// Returns the failure of a plugin while it builds an object. The message of a panic already
/// begins with the plugin's label.
fn failed(plugin: &PluginInfo, fault: &Fault) -> Failure {
    let is_labelled = fault.0.starts_with(&format!("{} `", plugin.kind));
    let label = if is_labelled { String::new() } else { format!("{}: ", plugin.label()) };
    Failure::failed(format!("{label}{fault}; see `runner plugins doctor`"))
}

/// Adds `preset` to the parameters that an error of the plugin lists. The plugin does not know
/// this parameter: the host replaces it.
fn with_preset(plugin: &PluginInfo, mut error: SpecError) -> SpecError {
    let is_own = |name: &String| plugin.parameters.iter().any(|own| own.name == *name);
    let allowed = &mut error.allowed;
    if !plugin.presets.is_empty() && !allowed.is_empty() && allowed.iter().all(is_own) {
        allowed.insert(0, Preset::PARAMETER.to_owned());
    }
    error
}
