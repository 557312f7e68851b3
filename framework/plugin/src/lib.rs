//! The plugin ABI. The only crate that names abi_stable.
//!
//! In dependency order: containment of panics (`guard`), what crosses the boundary, and the
//! declarations of its interfaces ([`abi`]), the note of a library ([`note`]), the caller's side
//! ([`DynGame`], [`DynValue`], [`DynAgent`], [`TableGame`]: `proxy`), the plugin's side
//! ([`export_plugin!`], `export`), the plugins of a library ([`PluginInfo`]), and examining and loading
//! libraries ([`load`](fn@load)). Finding libraries and plugins by name is up to the program.

#[macro_use]
pub mod abi;
mod export;
mod guard;
mod info;
mod load;
mod macros;
pub mod note;
mod proxy;
mod signs;

pub use abi::RootRef;
pub use info::{BuildOutcome, Origin, PluginInfo, PluginKind};
pub use load::{Problem, linked, load};
#[doc(hidden)]
pub use macros::private as __private;
pub use proxy::{DynAgent, DynGame, DynValue, PluginHost, SharedHost, TableGame};
pub use signs::Signs;
