//! A library: its root, which abi_stable loads and whose layout it compares, the list of its
//! plugins, and the functions that build them.

use crate::agent::AgentTable;
use crate::boundary::{Maybe, Object, Reply, Table, Target, guard, to_text};
use crate::game::{DynGame, ForGame, GameRef, GameTable};
use crate::host::HostTable;
use crate::panics::in_this_file;
use crate::value::ValueTable;
use abi_stable::StableAbi;
use abi_stable::library::RootModule;
use abi_stable::sabi_types::VersionStrings;
use abi_stable::std_types::{RResult, RStr, RString, RVec};
use runner_core::{
    AgentPlugin, BuildContext, BuildError, GameContext, GamePlugin, Host, LearnerPlugin,
    Parameters, Plugin, Spec, SpecError, ValuePlugin,
};
use std::path::Path;
use std::sync::Arc;

/// The root of a plugin library.
#[repr(C)]
#[derive(StableAbi)]
#[sabi(kind(Prefix(prefix_ref = RootRef)))]
pub struct Root {
    /// The name of the crate.
    pub package: RStr<'static>,
    /// Receives the name of the library's file, for its messages. Called first.
    pub loaded_from: extern "C" fn(RStr<'_>),
    /// Lists the plugins.
    #[sabi(last_prefix_field)]
    pub contents: extern "C" fn() -> Reply<RVec<PluginEntry>>,
}

impl RootModule for RootRef {
    abi_stable::declare_root_module_statics! {RootRef}
    const BASE_NAME: &'static str = "runner_plugin";
    const NAME: &'static str = "runner_plugin";
    const VERSION_STRINGS: VersionStrings = abi_stable::package_version_strings!();
}

/// A plugin that can be built.
#[repr(C)]
#[derive(StableAbi)]
pub struct PluginEntry {
    /// Name, description, version, parameters and presets, as RON.
    pub identity: RString,
    pub builder: Builder,
}

/// The function that builds a plugin. That of a learner is followed by one that describes a model
/// file of another program: it takes the path, and whether to read all of it, and returns a
/// [`ForeignModel`](runner_core::ForeignModel) as RON if the file is one.
#[repr(u8)]
#[derive(Clone, Copy, Debug, StableAbi)]
pub enum Builder {
    Game(extern "C" fn(&BuildInputs<'_>) -> Reply<Built<GameTable>>),
    Value(extern "C" fn(&BuildInputs<'_>) -> Reply<Built<ValueTable>>),
    Learner(
        extern "C" fn(&BuildInputs<'_>) -> Reply<Built<ValueTable>>,
        extern "C" fn(RStr<'_>, bool) -> Reply<Maybe<RString>>,
    ),
    Agent(extern "C" fn(&BuildInputs<'_>) -> Reply<Built<AgentTable>>),
}

/// The inputs of the constructor of a plugin.
#[repr(C)]
#[derive(StableAbi)]
pub struct BuildInputs<'a> {
    pub spec: RStr<'a>,
    /// None for games.
    pub game: GameRef<'a>,
    pub game_spec: RStr<'a>,
    pub host: &'a Object<HostTable>,
}

/// An object that was built, with its resolved spec. The error is a [`SpecError`], as RON.
pub type Built<T> = RResult<ObjectWithSpec<T>, RString>;

#[repr(C)]
#[derive(StableAbi)]
pub struct ObjectWithSpec<T: 'static> {
    pub object: Object<T>,
    pub spec: RString,
}

pub fn entry<P: Plugin>(builder: Builder) -> PluginEntry {
    let identity = (P::NAME, P::ABOUT, P::VERSION, P::Config::parameters(), P::presets());
    PluginEntry { identity: to_text(&identity), builder }
}

pub fn list(entries: impl FnOnce() -> Vec<PluginEntry>) -> Reply<RVec<PluginEntry>> {
    guard(|| in_this_file("the plugin's list of contents"), || entries().into())
}

fn game_label<P: Plugin>() -> String {
    in_this_file(&format!("game `{}`", P::NAME))
}

fn value_label<P: Plugin>() -> String {
    in_this_file(&format!("value `{}`", P::NAME))
}

fn agent_label<P: Plugin>() -> String {
    in_this_file(&format!("agent `{}`", P::NAME))
}

pub extern "C" fn build_game<P: GamePlugin>(inputs: &BuildInputs<'_>) -> Reply<Built<GameTable>> {
    build::<P, _>(game_label::<P>, inputs, |config, host| {
        let value = P::new(config, &GameContext { host })?;
        Ok(Target { label: game_label::<P>, value }.into_game())
    })
}

pub extern "C" fn build_value<P: ValuePlugin>(
    inputs: &BuildInputs<'_>,
) -> Reply<Built<ValueTable>> {
    build_for_game(value_label::<P>, inputs, P::new, Target::into_value)
}

pub extern "C" fn build_learner<P: LearnerPlugin>(
    inputs: &BuildInputs<'_>,
) -> Reply<Built<ValueTable>> {
    build_for_game(value_label::<P>, inputs, P::new, Target::into_learner)
}

pub extern "C" fn build_agent<P: AgentPlugin>(
    inputs: &BuildInputs<'_>,
) -> Reply<Built<AgentTable>> {
    build_for_game(agent_label::<P>, inputs, P::new, Target::into_agent)
}

/// Builds a value or an agent for its game, and an object from it by `into_object`.
fn build_for_game<P: Plugin, T: Table>(
    label: fn() -> String,
    inputs: &BuildInputs<'_>,
    new: impl FnOnce(P::Config, &BuildContext<'_>) -> Result<P, BuildError>,
    into_object: impl FnOnce(Target<ForGame<P>>) -> Object<T>,
) -> Reply<Built<T>> {
    build::<P, _>(label, inputs, |config, host| {
        let object = inputs.game.ok_or_else(|| BuildError::new("no game is given"))?;
        let game = DynGame::new(object.clone());
        let game_spec = inputs.game_spec.as_str();
        let plugin = new(config, &BuildContext { game: game.described()?, game_spec, host })?;
        let mut built = into_object(Target { label, value: ForGame::new(plugin, game) });
        built.game = object.target();
        Ok(built)
    })
}

/// Reads the fields of the spec, and builds an object from them.
fn build<P: Plugin, T>(
    label: fn() -> String,
    inputs: &BuildInputs<'_>,
    new: impl FnOnce(P::Config, &Arc<dyn Host>) -> Result<Object<T>, BuildError>,
) -> Reply<Built<T>> {
    let built = || -> Result<ObjectWithSpec<T>, SpecError> {
        let spec: Spec = inputs.spec.as_str().parse()?;
        let config: P::Config = spec.read()?;
        let resolved = Spec::resolved(P::NAME, &config)?.to_string().into();
        let host: Arc<dyn Host> = Arc::new(inputs.host.clone());
        let object = new(config, &host)
            .map_err(|error| spec.refused(error.parameter.as_deref(), error.message))?;
        Ok(ObjectWithSpec { object, spec: resolved })
    };
    let text = |error: SpecError| to_text(&(error.message, error.text, error.span, error.allowed));
    guard(label, || built().map_err(text).into())
}

pub extern "C" fn foreign<P: LearnerPlugin>(path: RStr<'_>, whole: bool) -> Reply<Maybe<RString>> {
    guard(value_label::<P>, || match P::foreign(Path::new(path.as_str()), whole) {
        Ok(model) => Maybe::of(model.map(|model| to_text(&model))),
        Err(fault) => fault.raise(),
    })
}
