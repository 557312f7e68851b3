//! The exports of a library.

use super::agent::AgentObject;
use super::build::BuildResult;
use super::call::Call;
use super::game::GameObject;
use super::objects::{HostObject, ValueObject};
use abi_stable::StableAbi;
use abi_stable::library::RootModule;
use abi_stable::sabi_types::VersionStrings;
use abi_stable::std_types::{ROption, RStr, RString, RVec};

/// The root of a plugin library.
#[repr(C)]
#[derive(StableAbi)]
#[sabi(kind(Prefix(prefix_ref = RootRef)))]
pub struct Root {
    /// The name of the crate.
    pub package: RStr<'static>,
    /// Receives the name of the library's file, for its messages. Called first.
    pub loaded_from: unsafe extern "C" fn(RStr<'_>),
    #[sabi(last_prefix_field)]
    pub contents: unsafe extern "C" fn(*mut Contents) -> Call,
}

impl RootModule for RootRef {
    abi_stable::declare_root_module_statics! {RootRef}
    const BASE_NAME: &'static str = "runner_plugin";
    const NAME: &'static str = "runner_plugin";
    const VERSION_STRINGS: VersionStrings = VersionStrings::new("2.0.0");
}

/// The plugins of a library.
#[repr(C)]
#[derive(StableAbi, Clone, Default)]
pub struct Contents {
    pub games: RVec<GameEntry>,
    pub values: RVec<ValueEntry>,
    pub agents: RVec<AgentEntry>,
}

/// A plugin's name, version, parameters and presets.
#[repr(C)]
#[derive(StableAbi, Clone, Debug)]
pub struct Identity {
    pub name: RStr<'static>,
    pub about: RStr<'static>,
    pub version: RStr<'static>,
    /// A list of [`runner_core::Parameter`], as RON.
    pub parameters: RString,
    /// A list of [`runner_core::Preset`], as RON.
    pub presets: RString,
}

/// A game that can be built.
#[repr(C)]
#[derive(StableAbi, Clone)]
pub struct GameEntry {
    pub identity: Identity,
    /// (spec, host, result).
    pub build: unsafe extern "C" fn(RStr<'_>, &HostObject, *mut BuildResult<GameObject>) -> Call,
}

/// An agent that can be built.
#[repr(C)]
#[derive(StableAbi, Clone)]
pub struct AgentEntry {
    pub identity: Identity,
    /// (spec, context, result).
    pub build:
        unsafe extern "C" fn(RStr<'_>, &AbiContext<'_>, *mut BuildResult<AgentObject>) -> Call,
}

/// A value that can be built.
#[repr(C)]
#[derive(StableAbi, Clone)]
pub struct ValueEntry {
    pub identity: Identity,
    /// None if the value does not learn.
    pub learner: ROption<LearnerEntry>,
    /// (spec, context, result).
    pub build:
        unsafe extern "C" fn(RStr<'_>, &AbiContext<'_>, *mut BuildResult<ValueObject>) -> Call,
}

/// The functions of a learner that need no object.
#[repr(C)]
#[derive(StableAbi, Clone)]
pub struct LearnerEntry {
    /// (path, whether to read all of it, a [`runner_core::ForeignModel`] as RON if the file
    /// is one).
    pub foreign: unsafe extern "C" fn(RStr<'_>, bool, *mut ROption<RString>) -> Call,
}

/// The context in which an agent or value is built, borrowed for the length of one call.
#[repr(C)]
#[derive(StableAbi)]
pub struct AbiContext<'a> {
    pub game: GameObject,
    /// The game's description, as RON.
    pub description: RStr<'a>,
    pub game_spec: RStr<'a>,
    pub host: HostObject,
}
