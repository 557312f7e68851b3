//! The plugin ABI. The only crate that names abi_stable.
//!
//! In dependency order: the types that cross the boundary ([`abi`]), the note
//! that a library carries ([`note`]), containment of panics (`guard`), the
//! plugin's side ([`export_plugin!`], `export`), the caller's side ([`DynGame`],
//! [`DynValue`], [`DynAgent`], [`TableGame`]: `proxy`), how a library is found,
//! examined and loaded (`load`), and what is known by name ([`Registry`]).

pub mod abi;
mod convert;
mod export;
mod game_table;
mod guard;
mod load;
mod macros;
pub mod note;
mod proxy;
mod registry;

pub use abi::RootRef;
pub use load::{Cause, LoadError, SearchPath, data_folder, library_name};
#[doc(hidden)]
pub use macros::private as __private;
pub use proxy::{DynAgent, DynGame, DynValue, Player, PluginHost, SharedHost, TableGame};
pub use registry::{
    Kind, LoadedAgent, LoadedGame, LoadedValue, NameError, Origin, PluginInfo, Problem, Registry,
    SpecRefused,
};
