//! The plugin ABI. The only crate that names abi_stable.
//!
//! # Interfaces
//!
//! A game, value, agent or host crosses the boundary as an object: a pointer that only its own
//! library dereferences, and a table of functions (`boundary`). Each interface is one file, which
//! is read from top to bottom: the table, the functions that a library exports, and the proxy that
//! calls them and implements the trait of `runner-core`. A new method of
//! [`Game`](runner_core::Game) is written in that trait and in `game`.
//!
//! | interface | table | proxy |
//! |---|---|---|
//! | `game` | `GameTable` | [`DynGame`], and [`TableGame`] with a copy of the game's row tables |
//! | `value` | `ValueTable` | [`DynValue`] |
//! | `learner`, with the session of a training | `LearnerTable` | [`DynValue`] |
//! | `agent` | `AgentTable` | [`DynAgent`] |
//! | `host`, the program's services | `HostTable` | `Object<HostTable>` |
//!
//! # Calls
//!
//! Every function returns a `Reply`: its result, or the message of the fault. No panic crosses
//! the boundary in either direction: plugins guard every function that the host calls, the host
//! guards every function that plugins call. The caller of a failed function raises the fault again
//! on its own side.
//!
//! # What crosses
//!
//! Positions and numbers cross by value, lists by pointer and length into memory of the caller,
//! and everything rare and structured as RON. All types that cross are `StableAbi`: abi_stable
//! compares their layouts when a library is loaded.
//!
//! # What is borrowed
//!
//! A game that an agent or a value plays, a list that a game fills and the session of a training
//! are borrowed until the call returns. Safe code cannot keep or exchange them: [`DynGame`] has no
//! clones, and lists have no size known in advance or hold their items.
//!
//! # Libraries
//!
//! [`export_plugin!`] makes a crate a library. [`load`](fn@load) reads its [`note`] before any of
//! its code runs, and returns its plugins ([`PluginInfo`]). Finding libraries and plugins by name
//! is up to the program.

mod agent;
mod boundary;
mod game;
mod host;
mod info;
mod layouts;
mod learner;
mod library;
mod load;
mod macros;
pub mod note;
mod panics;
mod tables;
mod value;

pub use agent::DynAgent;
pub use game::{DynGame, TableGame};
pub use host::{PluginHost, SharedHost};
pub use info::{BuildOutcome, Origin, PluginInfo, PluginKind};
pub use library::RootRef;
pub use load::{Problem, linked, load};
#[doc(hidden)]
pub use macros::private as __private;
pub use note::ABI_VERSION;
pub use value::DynValue;
