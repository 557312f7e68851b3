//! A library: its root, which abi_stable loads and whose layout it compares, the list of its
//! plugins, and the functions that build them.

use crate::agent::AgentTable;
use crate::call::{Call, Out, in_this_file, labelled, respond};
use crate::forms::{Maybe, to_text};
use crate::game::{ForGame, GameTable, LentGame, share_game, table_game};
use crate::host::{HostTable, RemoteHost};
use crate::object::{Object, Target, This};
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
use std::fmt;
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

/// The function that builds a plugin.
#[repr(u8)]
#[derive(Clone, Copy, Debug, StableAbi)]
pub enum Builder {
    Game(Build<GameTable>),
    Value(Build<ValueTable>),
    Learner(Build<ValueTable>, Foreign),
    Agent(Build<AgentTable>),
}

/// Builds an object from a spec.
#[repr(transparent)]
#[derive(StableAbi)]
pub struct Build<T: 'static>(
    pub extern "C" fn(RStr<'_>, &BuildInputs<'_>, Out<'_, RResult<Built<T>, RString>>) -> Call,
);

impl<T> Clone for Build<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Build<T> {}

impl<T> fmt::Debug for Build<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Build").finish_non_exhaustive()
    }
}

/// Describes a model file of another program: takes the path, and whether to read all of it.
/// Writes a [`ForeignModel`](runner_core::ForeignModel) as RON if the file is one.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, StableAbi)]
pub struct Foreign(pub extern "C" fn(RStr<'_>, bool, Out<'_, Maybe<RString>>) -> Call);

/// The inputs of the constructor of a plugin.
#[repr(C)]
#[derive(StableAbi)]
pub struct BuildInputs<'a> {
    /// None for games.
    pub game: LentGame<'a>,
    pub game_spec: RStr<'a>,
    pub host: &'a Object<HostTable>,
}

/// An object that was built, which the receiver owns, with its resolved spec. The error beside it
/// is a [`SpecError`], as RON.
#[repr(C)]
#[derive(StableAbi)]
pub struct Built<T: 'static> {
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
    entry::<P>(Builder::Game(Build(build_game::<P>)))
}

pub fn value_entry<P: ValuePlugin>() -> Entry {
    entry::<P>(Builder::Value(Build(build_value::<P>)))
}

pub fn learner_entry<P: LearnerPlugin>() -> Entry {
    entry::<P>(Builder::Learner(Build(build_learner::<P>), Foreign(foreign::<P>)))
}

pub fn agent_entry<P: AgentPlugin>() -> Entry {
    entry::<P>(Builder::Agent(Build(build_agent::<P>)))
}

/// Writes the list of a library's plugins.
pub fn list(out: Out<'_, RVec<Entry>>, entries: impl FnOnce() -> Vec<Entry>) -> Call {
    respond(|| in_this_file("the plugin's list of contents".into()), out, || entries().into())
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
    spec: RStr<'_>,
    inputs: &BuildInputs<'_>,
    out: Out<'_, RResult<Built<GameTable>, RString>>,
) -> Call {
    respond(game_label::<P>, out, || {
        build::<P, _>(spec, |config| {
            let host: Arc<dyn Host> = Arc::new(RemoteHost::share(inputs.host));
            let value = P::new(config, &GameContext { host: &host })?;
            Ok(Target { label: game_label::<P>, value }.into_game())
        })
    })
}

extern "C" fn build_value<P: ValuePlugin>(
    spec: RStr<'_>,
    inputs: &BuildInputs<'_>,
    out: Out<'_, RResult<Built<ValueTable>, RString>>,
) -> Call {
    respond(value_label::<P>, out, || {
        build::<P, _>(spec, |config| {
            let (value, game) = for_game(inputs, |context| P::new(config, context))?;
            Ok(Target { label: value_label::<P>, value }.into_value(game))
        })
    })
}

extern "C" fn build_learner<P: LearnerPlugin>(
    spec: RStr<'_>,
    inputs: &BuildInputs<'_>,
    out: Out<'_, RResult<Built<ValueTable>, RString>>,
) -> Call {
    respond(value_label::<P>, out, || {
        build::<P, _>(spec, |config| {
            let (value, game) = for_game(inputs, |context| P::new(config, context))?;
            Ok(Target { label: value_label::<P>, value }.into_learner(game))
        })
    })
}

extern "C" fn build_agent<P: AgentPlugin>(
    spec: RStr<'_>,
    inputs: &BuildInputs<'_>,
    out: Out<'_, RResult<Built<AgentTable>, RString>>,
) -> Call {
    respond(agent_label::<P>, out, || {
        build::<P, _>(spec, |config| {
            let (value, game) = for_game(inputs, |context| P::new(config, context))?;
            Ok(Target { label: agent_label::<P>, value }.into_agent(game))
        })
    })
}

/// Reads the fields of a spec, and builds an object from them.
fn build<P: Plugin, T>(
    spec: RStr<'_>,
    new: impl FnOnce(P::Config) -> Result<Object<T>, BuildError>,
) -> RResult<Built<T>, RString> {
    let build = || -> Result<Built<T>, SpecError> {
        let spec: Spec = spec.as_str().parse()?;
        let config: P::Config = spec.read()?;
        let resolved = Spec::resolved(P::NAME, &config)?.to_string().into();
        let object =
            new(config).map_err(|error| spec.refused(error.parameter.as_deref(), error.message))?;
        Ok(Built { object, spec: resolved })
    };
    let text = |error: SpecError| to_text(&(error.message, error.text, error.span, error.allowed));
    build().map_err(text).into()
}

/// Builds a value or an agent. Returns it with its game, and with the object of that game.
fn for_game<P>(
    inputs: &BuildInputs<'_>,
    new: impl FnOnce(&BuildContext<'_>) -> Result<P, BuildError>,
) -> Result<(ForGame<P>, This), BuildError> {
    let object = inputs.game.ok_or_else(|| BuildError::new("no game is given"))?;
    let (game, game_spec) = (share_game(object), inputs.game_spec.as_str());
    let host: Arc<dyn Host> = Arc::new(RemoteHost::share(inputs.host));
    let plugin = new(&BuildContext { game: game.described()?, game_spec, host: &host })?;
    Ok((ForGame { plugin, game: table_game(game) }, object.this))
}

extern "C" fn foreign<P: LearnerPlugin>(
    path: RStr<'_>,
    whole: bool,
    out: Out<'_, Maybe<RString>>,
) -> Call {
    respond(value_label::<P>, out, || {
        let model = P::foreign(Path::new(path.as_str()), whole);
        let model = model.unwrap_or_else(|fault| fault.raise());
        Maybe::of(model.map(|model| to_text(&model)))
    })
}
