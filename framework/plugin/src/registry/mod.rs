//! The plugins that are known by name, and how objects are built from specs.

mod catalog;
pub(crate) mod entry;
mod error;

pub use entry::{Kind, Origin, PluginInfo};
pub use error::{NameError, SpecRefused};

use crate::abi::cross::{Answer, Argument, ask};
use crate::abi::data::Slice;
use crate::abi::library::{Build, BuildResult, Builder, Built, Context};
use crate::abi::object::{Object, Table};
use crate::calls::Calls;
use crate::load::Problem;
use crate::proxy::{DynAgent, DynGame, DynValue, PluginHost, SharedHost};
use entry::Registered;
use error::with_preset;
use runner_core::{BuildError, Fault, ForeignModel, Host, Spec, SpecError, locked};
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

/// An object that was built from a spec.
#[derive(Clone)]
pub struct Loaded<T> {
    pub object: T,
    /// The resolved spec, defaults included.
    pub spec: Spec,
    /// Kind, name and file, for messages about its faults.
    pub label: String,
}

/// The plugins that are known by name.
#[derive(Clone, Default)]
pub struct Registry {
    registered: Vec<Registered>,
    problems: Vec<Problem>,
    /// The crates that are linked into the program.
    linked: BTreeSet<String>,
    /// The names of all library files, so that a copy in a later folder is not loaded.
    names: BTreeSet<OsString>,
    /// The canonical paths of all library files, so that none is loaded twice.
    files: BTreeSet<PathBuf>,
    examiner: Arc<OnceLock<Examiner>>,
    calls: Calls,
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
        self.0.wrapped_game(spec).map(|game| game.object).map_err(BuildError::new)
    }
}

/// What examines games whose plugin does not come with the program.
struct Examiner {
    examine: Box<dyn Fn(&LoadedGame) + Send + Sync>,
    /// The specs of the games that were examined.
    done: Mutex<BTreeSet<String>>,
}

impl Registry {
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the function that [`game`](Self::game) calls with each game that it builds for the first
    /// time, if its plugin does not come with the program. A second function is ignored.
    pub fn examine_games(&self, examine: impl Fn(&LoadedGame) + Send + Sync + 'static) {
        let _ = self.examiner.set(Examiner { examine: Box::new(examine), done: Mutex::default() });
    }

    /// Returns the calls of plugins under way: those of constructors, and those of games that were
    /// built.
    pub fn calls(&self) -> &Calls {
        &self.calls
    }

    /// Returns the player with a name: an agent, or a value to play greedily.
    pub fn player_kind(&self, name: &str) -> Result<PluginInfo, NameError> {
        let plugin = self.find("agent", &[Kind::Agent, Kind::Value], name)?;
        Ok(plugin.info.clone())
    }

    /// Builds a game, which may wrap other games of this registry.
    pub fn game(&self, spec: &Spec) -> Result<LoadedGame, SpecRefused> {
        let plugin = self.find("game", &[Kind::Game], spec.name())?;
        let Loaded { object, spec, label } = self.wrapped_game(spec)?;
        let (name, version) = (plugin.info.name.clone(), plugin.info.version.clone());
        let (rules, calls) = (Arc::new(object), self.calls.clone());
        let game = LoadedGame { rules, name, version, spec, label, calls };
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
    pub fn wrapped_game(&self, spec: &Spec) -> Result<Loaded<DynGame>, SpecRefused> {
        let plugin = self.find("game", &[Kind::Game], spec.name())?;
        let Builder::Game(build) = plugin.builder else { unreachable!("a game was asked for") };
        let host = SharedHost::new(GameHost(self.clone()));
        let game: Loaded<DynGame> = self.build(plugin, build, spec, None, &host)?;
        let described = game.object.described();
        described.map_err(|fault| SpecRefused::Fault(plugin.attribute(&fault)))?;
        Ok(game)
    }

    pub fn value(
        &self,
        spec: &Spec,
        game: &LoadedGame,
        host: &Arc<SharedHost>,
    ) -> Result<Loaded<DynValue>, SpecRefused> {
        let plugin = self.find("value", &[Kind::Value], spec.name())?;
        let (Builder::Value(build) | Builder::Learner(build, _)) = plugin.builder else {
            unreachable!("it is a value")
        };
        self.build(plugin, build, spec, Some(game), host)
    }

    pub fn agent(
        &self,
        spec: &Spec,
        game: &LoadedGame,
        host: &Arc<SharedHost>,
    ) -> Result<Loaded<DynAgent>, SpecRefused> {
        let plugin = self.find("agent", &[Kind::Agent], spec.name())?;
        let Builder::Agent(build) = plugin.builder else { unreachable!("it is an agent") };
        self.build(plugin, build, spec, Some(game), host)
    }

    /// Builds an object from a spec.
    fn build<T: Table, O: Answer<Abi = Object<T>>>(
        &self,
        plugin: &Registered,
        build: Build<T>,
        spec: &Spec,
        game: Option<&LoadedGame>,
        host: &Arc<SharedHost>,
    ) -> Result<Loaded<O>, SpecRefused> {
        let label = plugin.label();
        let refused = |error| SpecRefused::fields(plugin, error);
        let failed = |fault: Fault| SpecRefused::Fault(plugin.attribute(&fault));
        let complete = spec.with_preset(&plugin.info.presets).map_err(refused)?;
        let text = complete.to_string();
        let game_spec = game.map(|game| game.spec.to_string()).unwrap_or_default();
        let context = Context {
            game: game.map(|game| game.rules.object()).into(),
            game_spec: Slice::text(&game_spec),
            host: host.object(),
        };
        let entered = self.calls.enter_constructor(&label);
        // SAFETY: the entry came with a root whose layout was checked, all arguments are valid
        // during the call, and the function writes its result unless it fails.
        let built: Result<BuildResult<T>, Fault> =
            unsafe { ask(|out| build(Slice::text(&text), &context, out)) };
        drop(entered);
        let Built { object, spec: resolved } = built
            .map_err(failed)?
            .map_err(|error| refused(complete.in_typed_text(with_preset(plugin, error))))?;
        // SAFETY: the object was built for this call.
        let object = unsafe { O::receive(object) };
        let wrong = |error| Fault::new(format!("the resolved spec is wrong: {error}"));
        let resolved = resolved.text().parse().map_err(|error: SpecError| failed(wrong(error)))?;
        Ok(Loaded { object, spec: self.with_nested_presets(&resolved), label })
    }

    /// Returns the facts about a model file of another program from the first learner that knows
    /// the format, or `None` if none does. If `whole` is true the whole file is read and checked.
    pub fn foreign(&self, file: &Path, whole: bool) -> Result<Option<ForeignModel>, Fault> {
        for plugin in &self.registered {
            let Builder::Learner(_, foreign) = plugin.builder else { continue };
            // SAFETY: the entry came with a root whose layout was checked, and the function writes
            // its result unless it fails.
            let ask = |path| unsafe { ask(|out| foreign(path, whole, out)) };
            let model: Result<Option<ForeignModel>, Fault> = file.lend(ask);
            if let Some(model) = model? {
                return Ok(Some(model));
            }
        }
        Ok(None)
    }
}
