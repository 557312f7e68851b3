//! A library: its root, which abi_stable loads and whose layout it compares, the list of its
//! plugins, and the functions that build them.

use crate::agent::AgentTable;
use crate::boundary::{Maybe, Object, Reply, Table, Target, guard, to_text};
use crate::game::{DynGame, ForGame, GameTable};
use crate::host::HostTable;
use crate::panics::in_this_file;
use crate::value::ValueTable;
use abi_stable::StableAbi;
use abi_stable::library::RootModule;
use abi_stable::sabi_types::VersionStrings;
use abi_stable::std_types::{RResult, RStr, RString, RVec};
use runner_core::{
    AgentPlugin, BuildContext, BuildError, GameContext, GamePlugin, Host, LearnerPlugin, Parameter,
    Parameters, Plugin, Preset, Spec, SpecError, ValuePlugin,
};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// The root of a plugin library.
#[repr(C)]
#[derive(StableAbi)]
#[sabi(kind(Prefix(prefix_ref = RootRef)))]
pub struct Root {
    /// The name of the crate.
    pub package: RStr<'static>,
    /// Receives the name of the library's file, empty if it is linked in. Called first.
    pub loaded_from: extern "C" fn(file: RStr<'_>),
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
    /// An `Identity`, as RON.
    pub identity: RString,
    pub builder: Builder,
}

/// Name, description in one line, version, parameters and presets of a plugin.
pub type Identity<S> = (S, S, S, Vec<Parameter>, Vec<Preset>);

/// The function that builds a plugin.
#[repr(u8)]
#[derive(Clone, Copy, Debug, StableAbi)]
pub enum Builder {
    Game(extern "C" fn(&BuildInputs<'_>) -> BuildReply<GameTable>),
    Value(extern "C" fn(&BuildInputs<'_>) -> BuildReply<ValueTable>),
    /// With [`LearnerPlugin::foreign`], whose result is a `ForeignModel` as RON.
    Learner(
        extern "C" fn(&BuildInputs<'_>) -> BuildReply<ValueTable>,
        extern "C" fn(file: RStr<'_>, whole: bool) -> Reply<Maybe<RString>>,
    ),
    Agent(extern "C" fn(&BuildInputs<'_>) -> BuildReply<AgentTable>),
}

/// The inputs of the constructor of a plugin.
#[repr(C)]
#[derive(StableAbi)]
pub struct BuildInputs<'a> {
    pub spec: RStr<'a>,
    /// The game that a value or an agent is built for; none if a game is built.
    pub game: Option<&'a Object<GameTable>>,
    /// Its resolved spec, or empty.
    pub game_spec: RStr<'a>,
    pub host: &'a Object<HostTable>,
}

/// An object that was built, with its resolved spec. The error is [`SpecErrorFields`], as RON.
pub type BuildReply<T> = Reply<RResult<ObjectWithSpec<T>, RString>>;

/// Message, text, span and allowed values of a [`SpecError`].
pub type SpecErrorFields = (String, String, Range<usize>, Vec<String>);

#[repr(C)]
#[derive(StableAbi)]
pub struct ObjectWithSpec<T: 'static> {
    pub object: Object<T>,
    pub spec: RString,
}

// Called by `export_plugin!`.

/// Describes a plugin for the list of its library.
pub fn entry<P: Plugin>(builder: Builder) -> PluginEntry {
    let identity: Identity<&str> =
        (P::NAME, P::ABOUT, P::VERSION, P::Config::parameters(), P::presets());
    PluginEntry { identity: to_text(&identity), builder }
}

/// Makes the list of plugins the reply of [`Root::contents`].
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

pub extern "C" fn build_game<P: GamePlugin>(inputs: &BuildInputs<'_>) -> BuildReply<GameTable> {
    build::<P, _>(game_label::<P>, inputs, |config, host| {
        let implementation = P::new(config, &GameContext { host })?;
        let target = Target { label: game_label::<P>, implementation };
        Ok(Object::shared(target, &GameTable::<P>::EXPORTS))
    })
}

pub extern "C" fn build_value<P: ValuePlugin>(inputs: &BuildInputs<'_>) -> BuildReply<ValueTable> {
    let export = |target| Object::shared(target, &ValueTable::EXPORTS);
    build_for_game(value_label::<P>, inputs, P::new, export)
}

pub extern "C" fn build_learner<P: LearnerPlugin>(
    inputs: &BuildInputs<'_>,
) -> BuildReply<ValueTable> {
    let export = |target| Object::shared(target, &ValueTable::LEARNER_EXPORTS);
    build_for_game(value_label::<P>, inputs, P::new, export)
}

pub extern "C" fn build_agent<P: AgentPlugin>(inputs: &BuildInputs<'_>) -> BuildReply<AgentTable> {
    let export = |target| Object::copied(target, &AgentTable::EXPORTS);
    build_for_game(agent_label::<P>, inputs, P::new, export)
}

/// Builds the value or agent `P` by `new` for its game, and its object by `export`.
fn build_for_game<P: Plugin, T: Table>(
    label: fn() -> String,
    inputs: &BuildInputs<'_>,
    new: impl FnOnce(P::Config, &BuildContext<'_>) -> Result<P, BuildError>,
    export: impl FnOnce(Target<ForGame<P>>) -> Object<T>,
) -> BuildReply<T> {
    build::<P, _>(label, inputs, |config, host| {
        let game_object = inputs.game.ok_or_else(|| BuildError::new("no game is given"))?;
        let game = DynGame::new(game_object.clone());
        let game_spec = inputs.game_spec.as_str();
        let plugin = new(config, &BuildContext { game: game.try_description()?, game_spec, host })?;
        let mut object = export(Target { label, implementation: ForGame::new(plugin, game) });
        object.built_for = game_object.target();
        Ok(object)
    })
}

/// Reads the parameters of the plugin `P` from the spec, and builds its object by `new`.
fn build<P: Plugin, T>(
    label: fn() -> String,
    inputs: &BuildInputs<'_>,
    new: impl FnOnce(P::Config, &Arc<dyn Host>) -> Result<Object<T>, BuildError>,
) -> BuildReply<T> {
    let fields = |e: SpecError| -> SpecErrorFields { (e.message, e.text, e.span, e.allowed) };
    guard(label, || try_build::<P, T>(inputs, new).map_err(|e| to_text(&fields(e))).into())
}

fn try_build<P: Plugin, T>(
    inputs: &BuildInputs<'_>,
    new: impl FnOnce(P::Config, &Arc<dyn Host>) -> Result<Object<T>, BuildError>,
) -> Result<ObjectWithSpec<T>, SpecError> {
    let spec: Spec = inputs.spec.as_str().parse()?;
    let config: P::Config = spec.read()?;
    let resolved = Spec::resolved(P::NAME, &config)?.to_string().into();
    let host: Arc<dyn Host> = Arc::new(inputs.host.clone());
    let object = new(config, &host)
        .map_err(|error| spec.refused(error.parameter.as_deref(), error.message))?;
    Ok(ObjectWithSpec { object, spec: resolved })
}

pub extern "C" fn foreign<P: LearnerPlugin>(file: RStr<'_>, whole: bool) -> Reply<Maybe<RString>> {
    guard(value_label::<P>, || match P::foreign(Path::new(file.as_str()), whole) {
        Ok(model) => Maybe::from_option(model.map(|model| to_text(&model))),
        Err(fault) => fault.raise(),
    })
}
