//! The plugins that are known by name, and how objects are built from specs.

mod catalog;
pub(crate) mod entry;
mod error;

pub use entry::{Kind, Origin, PluginInfo};
pub use error::{NameError, SpecRefused};

use crate::RootRef;
use crate::abi::cross::{Answer, Argument};
use crate::abi::data::Slice;
use crate::abi::interface::MaybeUninit;
use crate::abi::library::{Build, Builder, Context, Foreign};
use crate::abi::object::{BuiltFor, Object, Table};
use crate::calls::Calls;
use crate::load::{Problem, SearchPath};
use crate::proxy::{DynAgent, DynGame, DynValue, PluginHost, SharedHost};
use catalog::Catalog;
use entry::Registered;
use error::with_preset;
use runner_core::{BuildError, Fault, ForeignModel, Host, Spec, SpecError, locked};
use std::collections::BTreeSet;
use std::path::Path;
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

#[derive(Clone)]
pub struct LoadedValue {
    pub value: DynValue,
    /// The resolved spec, defaults included.
    pub spec: Spec,
    /// Kind, name and file, for messages about its faults.
    pub label: String,
}

#[derive(Clone)]
pub struct LoadedAgent {
    pub agent: DynAgent,
    /// The resolved spec, defaults included.
    pub spec: Spec,
    /// Kind, name and file, for messages about its faults.
    pub label: String,
}

/// The plugins that are known by name. Clones share the list.
#[derive(Clone, Default)]
pub struct Registry {
    catalog: Arc<Catalog>,
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
        self.0.wrapped_game(spec).map_err(BuildError::new)
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

    /// Adds the plugins of a crate that is linked into the program. They are replaced if the
    /// library of that crate is loaded later.
    pub fn link(&mut self, root: RootRef) {
        Arc::make_mut(&mut self.catalog).link(root);
    }

    /// Loads the libraries in the given places. A file is loaded once, however often it is named.
    pub fn search(&mut self, path: &SearchPath) {
        Arc::make_mut(&mut self.catalog).search(path);
    }

    /// Loads one library, unless it is loaded already, or records what is wrong with it.
    pub fn load_file(&mut self, file: &Path) {
        Arc::make_mut(&mut self.catalog).load_file(file);
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

    /// Returns what could not be loaded or used.
    pub fn problems(&self) -> &[Problem] {
        self.catalog.problems()
    }

    /// Returns all plugins that can be used, ordered by kind and name.
    pub fn plugins(&self) -> Vec<PluginInfo> {
        self.catalog.plugins()
    }

    /// Returns the player with a name: an agent, or a value to play greedily.
    pub fn player_kind(&self, name: &str) -> Result<PluginInfo, NameError> {
        self.catalog.find("agent", &[Kind::Agent, Kind::Value], name).map(Registered::info)
    }

    /// Builds a game, which may wrap other games of this registry.
    pub fn game(&self, spec: &Spec) -> Result<LoadedGame, SpecRefused> {
        let plugin = self.catalog.find("game", &[Kind::Game], spec.name())?;
        let (rules, spec) = self.build_game(plugin, spec)?;
        let game = LoadedGame {
            rules: Arc::new(rules),
            name: plugin.identity.name.clone(),
            version: plugin.identity.version.clone(),
            spec,
            label: plugin.label(),
            calls: self.calls.clone(),
        };
        if let Some(Examiner { examine, done }) = self.examiner.get()
            && !self.catalog.is_linked(&plugin.package)
        {
            let mut done = locked(done);
            let is_new = done.insert(game.spec.to_string());
            drop(done);
            if is_new {
                examine(&game);
            }
        }
        Ok(game)
    }

    /// Builds a game for a plugin, such as one that another game wraps.
    pub fn wrapped_game(&self, spec: &Spec) -> Result<DynGame, SpecRefused> {
        let plugin = self.catalog.find("game", &[Kind::Game], spec.name())?;
        Ok(self.build_game(plugin, spec)?.0)
    }

    fn build_game(&self, plugin: &Registered, spec: &Spec) -> Result<(DynGame, Spec), SpecRefused> {
        let Builder::Game(build) = plugin.builder else { unreachable!("a game was asked for") };
        let host = SharedHost::new(GameHost(self.clone()));
        let (object, spec) = self.build(plugin, build, spec, None, &host)?;
        // SAFETY: the object was built for this call.
        let rules = unsafe { DynGame::own(object) }
            .map_err(|fault| SpecRefused::Fault(plugin.attribute(&fault)))?;
        Ok((rules, spec))
    }

    pub fn value(
        &self,
        spec: &Spec,
        game: &LoadedGame,
        host: &Arc<SharedHost>,
    ) -> Result<LoadedValue, SpecRefused> {
        let plugin = self.catalog.find("value", &[Kind::Value], spec.name())?;
        let (Builder::Value(build) | Builder::Learner(build, _)) = plugin.builder else {
            unreachable!("it is a value")
        };
        let (object, spec) = self.build(plugin, build, spec, Some(game), host)?;
        let bound = game.rules.object().this.addr();
        // SAFETY: the object was built for this call.
        let value = unsafe { DynValue::own(BuiltFor { object, bound }) };
        Ok(LoadedValue { value, spec, label: plugin.label() })
    }

    pub fn agent(
        &self,
        spec: &Spec,
        game: &LoadedGame,
        host: &Arc<SharedHost>,
    ) -> Result<LoadedAgent, SpecRefused> {
        let plugin = self.catalog.find("agent", &[Kind::Agent], spec.name())?;
        let Builder::Agent(build) = plugin.builder else { unreachable!("it is an agent") };
        let (object, spec) = self.build(plugin, build, spec, Some(game), host)?;
        let bound = game.rules.object().this.addr();
        // SAFETY: the object was built for this call.
        let agent = unsafe { DynAgent::own(BuiltFor { object, bound }) };
        Ok(LoadedAgent { agent, spec, label: plugin.label() })
    }

    /// Builds an object from a spec; returns it with its resolved spec.
    fn build<T: Table>(
        &self,
        plugin: &Registered,
        build: Build<T>,
        spec: &Spec,
        game: Option<&LoadedGame>,
        host: &Arc<SharedHost>,
    ) -> Result<(Object<T>, Spec), SpecRefused> {
        let complete = spec.with_preset(&plugin.identity.presets);
        let complete = complete.map_err(|error| SpecRefused::fields(plugin, error))?;
        let text = complete.to_string();
        let game_spec = game.map(|game| game.spec.to_string()).unwrap_or_default();
        let context = Context {
            game: game.map(|game| game.rules.object()).into(),
            game_spec: Slice::text(&game_spec),
            host: host.object(),
        };
        let mut out = MaybeUninit::uninit();
        let entered = self.calls.enter_constructor(&plugin.label());
        // SAFETY: the entry came with a root whose layout was checked, and all arguments are
        // valid during the call.
        let call = unsafe { build(Slice::text(&text), &context, out.as_mut_ptr()) };
        drop(entered);
        call.into_result().map_err(|fault| SpecRefused::Fault(plugin.attribute(&fault)))?;
        // SAFETY: a call that succeeded has written its result.
        let built = unsafe { <Result<(Object<T>, String), SpecError>>::receive(out.assume_init()) };
        match built {
            Err(error) => {
                let error = complete.in_typed_text(with_preset(plugin, error));
                Err(SpecRefused::fields(plugin, error))
            }
            Ok((object, spec)) => match spec.parse() {
                Ok(spec) => Ok((object, self.catalog.with_nested_presets(spec))),
                Err(error) => {
                    let fault = Fault::new(format!("the resolved spec is wrong: {error}"));
                    Err(SpecRefused::Fault(plugin.attribute(&fault)))
                }
            },
        }
    }

    /// Returns the facts about a model file of another program from the first learner that knows
    /// the format, or `None` if none does. If `whole` is true the whole file is read and checked.
    pub fn foreign(&self, file: &Path, whole: bool) -> Result<Option<ForeignModel>, Fault> {
        for plugin in self.catalog.all() {
            if let Builder::Learner(_, foreign) = plugin.builder
                && let Some(model) = ask_foreign(foreign, file, whole)?
            {
                return Ok(Some(model));
            }
        }
        Ok(None)
    }
}

fn ask_foreign(foreign: Foreign, file: &Path, whole: bool) -> Result<Option<ForeignModel>, Fault> {
    let mut out = MaybeUninit::<<Option<ForeignModel> as Answer>::Abi>::uninit();
    // SAFETY: the entry came with a root whose layout was checked, and the arguments are valid
    // during the call.
    let call = file.lend(|path| unsafe { foreign(path, whole, out.as_mut_ptr()) });
    // SAFETY: a call that succeeded has written its result.
    call.into_result().map(|()| unsafe { Option::receive(out.assume_init()) })
}
