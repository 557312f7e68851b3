//! The plugin ABI. The only crate that names abi_stable.
//!
//! In dependency order: containment of panics (`guard`), what crosses the boundary, and the
//! declarations of its interfaces ([`abi`]), the note of a library ([`note`]), the caller's side
//! ([`DynGame`], [`DynValue`], [`DynAgent`], [`TableGame`]: `proxy`), the plugin's side
//! ([`export_plugin!`], `export`), finding, examining and loading libraries (`load`), calls under way
//! ([`calls`]), and plugins by name ([`Registry`]).

#[macro_use]
pub mod abi;
pub mod calls;
mod export;
mod guard;
mod load;
mod macros;
pub mod note;
mod proxy;
mod registry;

pub use abi::RootRef;
pub use load::{Problem, SearchPath, library_name, one_line};
#[doc(hidden)]
pub use macros::private as __private;
pub use proxy::{DynAgent, DynGame, DynValue, PluginHost, SharedHost, TableGame};
pub use registry::{
    Kind, Loaded, LoadedGame, NameError, Origin, PluginInfo, Registry, SpecRefused,
};
