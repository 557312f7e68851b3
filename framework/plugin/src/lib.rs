//! The plugin ABI: how the program calls games, values and agents in libraries that it loads, and
//! how they call the program. Only this crate names abi_stable.
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
//! | `learner`, of a value that learns | `LearnerTable`, in its `ValueTable` | [`DynValue`] |
//! | `agent` | `AgentTable` | [`DynAgent`] |
//! | `host`, the program's services | `HostTable` | `Object<HostTable>` |
//!
//! # Calls
//!
//! Every function returns a `Reply`: its result, or the message of the fault. No panic crosses
//! the boundary in either direction, because each side guards every function that the other one
//! calls. The caller of a failed function raises the fault again on its own side.
//!
//! # What crosses
//!
//! Positions and numbers cross by value, lists as pointer and length of the caller's memory, and
//! structured data that crosses rarely as RON. All types that cross are `StableAbi`: abi_stable
//! compares their layouts when a library is loaded.
//!
//! # What is borrowed
//!
//! A game that an agent or a value plays, a list that a game fills and the session of a training
//! are borrowed until the call returns. Safe code cannot keep or exchange them: [`DynGame`] cannot
//! be cloned, and `Outcomes` is unsized. `Successors` holds its items in itself, so an exchange
//! only copies them.
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
