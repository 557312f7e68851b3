//! The exports of a library.

use super::agent::AgentTable;
use super::call::Call;
use super::cross::{Answer, answer};
use super::data::{List, Maybe, Slice};
use super::game::GameTable;
use super::object::{Object, Table};
use super::value::ValueTable;
use crate::proxy::HostTable;
use abi_stable::StableAbi;
use abi_stable::library::RootModule;
use abi_stable::sabi_types::VersionStrings;
use runner_core::{Parameter, Preset, SpecError};
use serde::{Deserialize, Serialize};

/// The root of a plugin library, as abi_stable loads it. Our own types lie behind one pointer,
/// under our own [layout hash](super::LAYOUT).
#[repr(C)]
#[derive(StableAbi)]
#[sabi(kind(Prefix(prefix_ref = RootRef)))]
pub struct Root {
    #[sabi(last_prefix_field)]
    #[sabi(unsafe_opaque_field)]
    pub library: &'static Library,
}

impl RootModule for RootRef {
    abi_stable::declare_root_module_statics! {RootRef}
    const BASE_NAME: &'static str = "runner_plugin";
    const NAME: &'static str = "runner_plugin";
    const VERSION_STRINGS: VersionStrings = VersionStrings::new("3.0.0");
}

/// A plugin library.
#[repr(C)]
pub struct Library {
    /// The name of the crate.
    pub package: Slice<u8>,
    /// Receives the name of the library's file, for its messages. Called first.
    pub loaded_from: unsafe extern "C" fn(Slice<u8>),
    pub contents: unsafe extern "C" fn(*mut Contents) -> Call,
    /// Returns the extension table with this id, or null. Functions that are added later are in such
    /// tables, which [`LAYOUT`](super::LAYOUT) does not cover: a library that lacks one stays usable.
    pub extension: unsafe extern "C" fn(u64) -> *const u8,
}

// SAFETY: the name is a constant, and the functions may be called by any thread.
unsafe impl Sync for Library {}

/// The plugins of a library.
pub type Contents = List<Entry>;

/// A plugin that can be built.
#[repr(C)]
pub struct Entry {
    /// An [`Identity`], as text.
    pub identity: List<u8>,
    pub builder: Builder,
}

/// The function that builds a plugin.
#[repr(C, u8)]
#[derive(Clone, Copy, Debug)]
pub enum Builder {
    Game(Build<GameTable>),
    Value(Build<ValueTable>),
    Learner(Build<ValueTable>, Foreign),
    Agent(Build<AgentTable>),
}

/// Builds an object: (spec, context, [`BuildResult`]).
pub type Build<T> =
    unsafe extern "C" fn(Slice<u8>, *const Context, *mut <BuildResult<T> as Answer>::Abi) -> Call;

pub type BuildResult<T> = Result<Built<T>, SpecError>;

/// Describes a model file of another program: (path, whether to read all of it, a
/// [`ForeignModel`](runner_core::ForeignModel) if the file is one).
pub type Foreign = unsafe extern "C" fn(Slice<u8>, bool, *mut Maybe<List<u8>>) -> Call;

/// An object that was built, which the receiver owns, with its resolved spec.
#[repr(C)]
pub struct Built<T: 'static> {
    pub object: Object<T>,
    pub spec: List<u8>,
}

answer!([T: Table] Built<T> as Built<T>: |built| built, |form| form);

/// The context in which a plugin is built, borrowed for the length of one call.
#[repr(C)]
pub struct Context {
    /// None for games.
    pub game: Maybe<Object<GameTable>>,
    pub game_spec: Slice<u8>,
    pub host: Object<HostTable>,
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
