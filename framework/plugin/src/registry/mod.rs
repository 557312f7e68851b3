//! The plugins that are known by name, and how objects are built from specs.

mod catalog;
mod entry;
mod error;
mod game_host;

pub use entry::{Kind, Origin, PluginInfo};
pub use error::{NameError, Problem, SpecRefused};

use crate::RootRef;
use crate::abi::build::BuildResult;
use crate::abi::call::Call;
use crate::abi::library::{AbiContext, LearnerEntry, ValueEntry};
use crate::convert::utf8;
use crate::load::SearchPath;
use crate::proxy::{DynAgent, DynGame, DynValue, SharedHost};
use abi_stable::std_types::{ROption, RResult, RStr};
use catalog::Catalog;
use entry::{Entry, Registered};
use error::refused;
use game_host::GameHost;
use runner_core::{BuildError, Fault, ForeignModel, Spec};
use std::mem::MaybeUninit;
use std::path::Path;
use std::sync::Arc;

/// A game that was built.
#[derive(Clone, Debug)]
pub struct LoadedGame {
    /// The rules.
    pub rules: Arc<DynGame>,
    /// The name.
    pub name: String,
    /// The plugin's version.
    pub version: String,
    /// The resolved spec, defaults included.
    pub spec: Spec,
    /// Kind, name and file, for messages about its faults.
    pub label: String,
}

/// A value that was built for a game.
#[derive(Clone)]
pub struct LoadedValue {
    /// The estimates.
    pub value: DynValue,
    /// The resolved spec, defaults included.
    pub spec: Spec,
    /// Kind, name and file, for messages about its faults.
    pub label: String,
}

/// An agent that was built for a game.
#[derive(Clone)]
pub struct LoadedAgent {
    /// The player.
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
}

impl Registry {
    /// Creates an empty registry.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the plugins of a crate that is linked into the program. They are replaced if the
    /// library of that crate is loaded later.
    pub fn link(&mut self, root: RootRef) {
        Arc::make_mut(&mut self.catalog).link(root);
    }

    /// Loads the libraries in the given places. A file is loaded once, however often it is
    /// named.
    pub fn search(&mut self, path: &SearchPath) {
        Arc::make_mut(&mut self.catalog).search(path);
    }

    /// Loads one library, unless it is loaded already, or records what is wrong with it.
    pub fn load_file(&mut self, file: &Path) {
        Arc::make_mut(&mut self.catalog).load_file(file);
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
        let identity = plugin.entry.identity();
        Ok(LoadedGame {
            rules: Arc::new(rules),
            name: identity.name.into(),
            version: identity.version.into(),
            spec,
            label: plugin.label(),
        })
    }

    /// Builds a game for a plugin, such as one that another game wraps.
    pub fn wrapped_game(&self, spec: &Spec) -> Result<DynGame, SpecRefused> {
        let plugin = self.catalog.find("game", &[Kind::Game], spec.name())?;
        Ok(self.build_game(plugin, spec)?.0)
    }

    fn build_game(&self, plugin: &Registered, spec: &Spec) -> Result<(DynGame, Spec), SpecRefused> {
        let Entry::Game(entry) = &plugin.entry else { unreachable!("a game was asked for") };
        let registry = self.clone();
        let wrapped = move |spec: &Spec| registry.wrapped_game(spec).map_err(BuildError::new);
        let host = SharedHost::new(GameHost(wrapped));
        let (object, spec) = self.build(plugin, spec, |text, out| {
            // SAFETY: the entry came with a root whose layout was checked, and the host
            // is valid during the call.
            unsafe { (entry.build)(text, &host.object(), out) }
        })?;
        // SAFETY: the object was built for this call.
        let rules = unsafe { DynGame::own(object) }
            .map_err(|fault| SpecRefused::Fault(plugin.attribute(&fault)))?;
        Ok((rules, spec))
    }

    /// Builds a value for a game.
    pub fn value(
        &self,
        spec: &Spec,
        game: &LoadedGame,
        host: &Arc<SharedHost>,
    ) -> Result<LoadedValue, SpecRefused> {
        let plugin = self.catalog.find("value", &[Kind::Value], spec.name())?;
        let Entry::Value(entry) = &plugin.entry else { unreachable!("a value was asked for") };
        let (object, spec) = self.build(plugin, spec, |text, out| {
            // SAFETY: as above, and the context's objects live for the call.
            with_context(game, host, |context| unsafe { (entry.build)(text, context, out) })
        })?;
        // SAFETY: the object was built for this call.
        let value = unsafe { DynValue::own(object) };
        Ok(LoadedValue { value, spec, label: plugin.label() })
    }

    /// Builds an agent for a game.
    pub fn agent(
        &self,
        spec: &Spec,
        game: &LoadedGame,
        host: &Arc<SharedHost>,
    ) -> Result<LoadedAgent, SpecRefused> {
        let plugin = self.catalog.find("agent", &[Kind::Agent], spec.name())?;
        let Entry::Agent(entry) = &plugin.entry else { unreachable!("an agent was asked for") };
        let (object, spec) = self.build(plugin, spec, |text, out| {
            // SAFETY: as above, and the context's objects live for the call.
            with_context(game, host, |context| unsafe { (entry.build)(text, context, out) })
        })?;
        // SAFETY: the object was built for this call.
        let agent = unsafe { DynAgent::own(object) };
        Ok(LoadedAgent { agent, spec, label: plugin.label() })
    }

    /// Builds an object from a spec; returns it with its resolved spec.
    fn build<T>(
        &self,
        plugin: &Registered,
        spec: &Spec,
        build: impl FnOnce(RStr<'_>, *mut BuildResult<T>) -> Call,
    ) -> Result<(T, Spec), SpecRefused> {
        let completed = spec.with_preset(&plugin.presets());
        let completed = completed.map_err(|error| SpecRefused::fields(plugin, error))?;
        let complete = completed.as_ref().map_or(spec, |completed| &completed.spec);
        let text = complete.to_string();
        let mut out = MaybeUninit::uninit();
        build(RStr::from_str(&text), out.as_mut_ptr())
            .into_result()
            .map_err(|fault| SpecRefused::Fault(plugin.attribute(&fault)))?;
        // SAFETY: a call that succeeded has written its result.
        match unsafe { out.assume_init() } {
            RResult::RErr(error) => {
                let error = refused(plugin, complete, error);
                let error = match completed {
                    Some(completed) => completed.in_typed_text(error),
                    None => error,
                };
                Err(SpecRefused::fields(plugin, error))
            }
            RResult::ROk(built) => match built.spec.parse() {
                Ok(spec) => Ok((built.object, self.catalog.with_nested_presets(spec))),
                Err(error) => {
                    let fault = Fault::new(format!("the resolved spec is wrong: {error}"));
                    Err(SpecRefused::Fault(plugin.attribute(&fault)))
                }
            },
        }
    }

    /// Returns the facts about a model file of another program from the first learner that
    /// knows the format, or `None` if none does. If `whole` is true the whole file is read
    /// and checked.
    pub fn foreign(&self, file: &Path, whole: bool) -> Result<Option<ForeignModel>, Fault> {
        let path = utf8(file)?;
        for plugin in self.catalog.all() {
            let Entry::Value(ValueEntry { learner: ROption::RSome(learner), .. }) = &plugin.entry
            else {
                continue;
            };
            if let Some(text) = ask_foreign(learner, path, whole)? {
                let wrong = |error| Fault(plugin.attribute(&Fault::new(error)));
                return ron::from_str(&text).map(Some).map_err(wrong);
            }
        }
        Ok(None)
    }
}

fn ask_foreign(
    learner: &LearnerEntry,
    path: RStr<'_>,
    whole: bool,
) -> Result<Option<String>, Fault> {
    let mut text = ROption::RNone;
    // SAFETY: the entry came with a root whose layout was checked.
    unsafe { (learner.foreign)(path, whole, &mut text) }.into_result()?;
    Ok(text.into_option().map(Into::into))
}

fn with_context<T>(
    game: &LoadedGame,
    host: &Arc<SharedHost>,
    task: impl FnOnce(&AbiContext<'_>) -> T,
) -> T {
    let game_spec = game.spec.to_string();
    task(&AbiContext {
        game: game.rules.object(),
        description: RStr::from_str(game.rules.description_text()),
        game_spec: RStr::from_str(&game_spec),
        host: host.object(),
    })
}
