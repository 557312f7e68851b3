//! A library: its root, which abi_stable loads and whose layout it compares, the list of its
//! plugins, and the functions that build them.

use crate::agent::AgentTable;
use crate::boundary::{Call, Maybe, Object, Out, Target, This, guard, to_text};
use crate::game::{DynGame, ForGame, GameRef, GameTable, table_game};
use crate::host::{HostTable, RemoteHost};
use crate::panics::{in_this_file, labelled};
use crate::value::ValueTable;
use abi_stable::StableAbi;
use abi_stable::library::RootModule;
use abi_stable::sabi_types::VersionStrings;
use abi_stable::std_types::{RResult, RStr, RString, RVec};
use runner_core::{
    AgentPlugin, BuildContext, BuildError, GameContext, GamePlugin, Host, LearnerPlugin, Parameter,
    Parameters, Plugin, Preset, Spec, SpecError, ValuePlugin,
};
use serde::{Deserialize, Serialize};
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
    /// Writes the list of the plugins.
    #[sabi(last_prefix_field)]
    pub contents: extern "C" fn(Out<'_, RVec<Entry>>) -> Call,
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
pub struct Entry {
    /// An `Identity`, as RON.
    pub identity: RString,
    pub builder: Builder,
}

/// A plugin's name, version, parameters and presets.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Identity {
    pub name: String,
    pub about: String,
    pub version: String,
    pub parameters: Vec<Parameter>,
    pub presets: Vec<Preset>,
}

/// The function that builds a plugin: it writes the object, or why the spec is refused. That of a
/// learner is followed by one that describes a model file of another program: it takes the path,
/// and whether to read all of it, and writes a [`ForeignModel`](runner_core::ForeignModel) as RON
/// if the file is one.
#[repr(u8)]
#[derive(Clone, Copy, Debug, StableAbi)]
pub enum Builder {
    Game(extern "C" fn(&BuildInputs<'_>, Out<'_, Built<GameTable>>) -> Call),
    Value(extern "C" fn(&BuildInputs<'_>, Out<'_, Built<ValueTable>>) -> Call),
    Learner(
        extern "C" fn(&BuildInputs<'_>, Out<'_, Built<ValueTable>>) -> Call,
        extern "C" fn(RStr<'_>, bool, Out<'_, Maybe<RString>>) -> Call,
    ),
    Agent(extern "C" fn(&BuildInputs<'_>, Out<'_, Built<AgentTable>>) -> Call),
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

fn entry<P: Plugin>(builder: Builder) -> Entry {
    let identity = Identity {
        name: P::NAME.into(),
        about: P::ABOUT.into(),
        version: P::VERSION.into(),
        parameters: P::Config::parameters(),
        presets: P::presets(),
    };
    Entry { identity: to_text(&identity), builder }
}

pub fn game_entry<P: GamePlugin>() -> Entry {
    entry::<P>(Builder::Game(build_game::<P>))
}

pub fn value_entry<P: ValuePlugin>() -> Entry {
    entry::<P>(Builder::Value(build_value::<P>))
}

pub fn learner_entry<P: LearnerPlugin>() -> Entry {
    entry::<P>(Builder::Learner(build_learner::<P>, foreign::<P>))
}

pub fn agent_entry<P: AgentPlugin>() -> Entry {
    entry::<P>(Builder::Agent(build_agent::<P>))
}

/// Writes the list of a library's plugins.
pub fn list(out: Out<'_, RVec<Entry>>, entries: impl FnOnce() -> Vec<Entry>) -> Call {
    guard(|| in_this_file("the plugin's list of contents".into()), out, || entries().into())
}

fn game_label<P: Plugin>() -> String {
    labelled("game", P::NAME)
}

fn value_label<P: Plugin>() -> String {
    labelled("value", P::NAME)
}

fn agent_label<P: Plugin>() -> String {
    labelled("agent", P::NAME)
}

extern "C" fn build_game<P: GamePlugin>(
    inputs: &BuildInputs<'_>,
    out: Out<'_, Built<GameTable>>,
) -> Call {
    guard(game_label::<P>, out, || {
        build::<P, _>(inputs, |config| {
            let host: Arc<dyn Host> = Arc::new(RemoteHost(inputs.host.clone()));
            let value = P::new(config, &GameContext { host: &host })?;
            Ok(Target { label: game_label::<P>, value }.into_game())
        })
    })
}

extern "C" fn build_value<P: ValuePlugin>(
    inputs: &BuildInputs<'_>,
    out: Out<'_, Built<ValueTable>>,
) -> Call {
    build_for_game(value_label::<P>, inputs, out, P::new, Target::into_value)
}

extern "C" fn build_learner<P: LearnerPlugin>(
    inputs: &BuildInputs<'_>,
    out: Out<'_, Built<ValueTable>>,
) -> Call {
    build_for_game(value_label::<P>, inputs, out, P::new, Target::into_learner)
}

extern "C" fn build_agent<P: AgentPlugin>(
    inputs: &BuildInputs<'_>,
    out: Out<'_, Built<AgentTable>>,
) -> Call {
    build_for_game(agent_label::<P>, inputs, out, P::new, Target::into_agent)
}

/// Builds a value or an agent. `into_object` takes it with the game object that it was built for.
fn build_for_game<P: Plugin, T>(
    label: fn() -> String,
    inputs: &BuildInputs<'_>,
    out: Out<'_, Built<T>>,
    new: impl FnOnce(P::Config, &BuildContext<'_>) -> Result<P, BuildError>,
    into_object: impl FnOnce(Target<ForGame<P>>, This) -> Object<T>,
) -> Call {
    guard(label, out, || {
        build::<P, _>(inputs, |config| {
            let object = inputs.game.ok_or_else(|| BuildError::new("no game is given"))?;
            let game = DynGame::new(object.clone());
            let host: Arc<dyn Host> = Arc::new(RemoteHost(inputs.host.clone()));
            let game_spec = inputs.game_spec.as_str();
            let context = BuildContext { game: game.described()?, game_spec, host: &host };
            let plugin = new(config, &context)?;
            let value = ForGame { plugin, game: table_game(game) };
            Ok(into_object(Target { label, value }, object.this))
        })
    })
}

/// Reads the fields of the spec, and builds an object from them.
fn build<P: Plugin, T>(
    inputs: &BuildInputs<'_>,
    new: impl FnOnce(P::Config) -> Result<Object<T>, BuildError>,
) -> Built<T> {
    let build = || -> Result<ObjectWithSpec<T>, SpecError> {
        let spec: Spec = inputs.spec.as_str().parse()?;
        let config: P::Config = spec.read()?;
        let resolved = Spec::resolved(P::NAME, &config)?.to_string().into();
        let object =
            new(config).map_err(|error| spec.refused(error.parameter.as_deref(), error.message))?;
        Ok(ObjectWithSpec { object, spec: resolved })
    };
    let text = |error: SpecError| to_text(&(error.message, error.text, error.span, error.allowed));
    build().map_err(text).into()
}

extern "C" fn foreign<P: LearnerPlugin>(
    path: RStr<'_>,
    whole: bool,
    out: Out<'_, Maybe<RString>>,
) -> Call {
    guard(value_label::<P>, out, || {
        let model = P::foreign(Path::new(path.as_str()), whole);
        let model = model.unwrap_or_else(|fault| fault.raise());
        Maybe::of(model.map(|model| to_text(&model)))
    })
}
