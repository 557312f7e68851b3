//! The plugin ABI: the types that cross the boundary.
//!
//! # Objects
//!
//! A game, value, agent, host or training session crosses as an *object*: a pointer that only its
//! own library dereferences, and a table of functions ([`object`]). The tables follow from
//! declarations: [`game`], [`value`] and [`agent`], and in `proxy` the files `host` and `session`,
//! declare each method once, and the macros of [`interface`] make the table, the exported
//! functions and the methods of the proxy of it. A new method of [`Game`](runner_core::Game) is
//! written in that trait and declared here. [`library`] defines the exports of a library.
//!
//! # Calls
//!
//! Every function returns a [`Call`](call::Call): null, or the message of the fault. It writes
//! its result through its last pointer and leaves that memory alone when it fails. No panic
//! crosses the boundary in either direction: plugins guard every function that the host calls,
//! the host guards every function that plugins call. The caller of a failed function raises
//! the fault again on its own side.
//!
//! # What crosses
//!
//! Positions and numbers cross by value, lists by pointer and length into memory of the caller, and
//! everything rare and structured as RON text ([`cross`]). [`LAYOUT`] covers all of it. The
//! library's note contains the hash, and the loader compares it before any code of the library
//! runs. abi_stable loads the root and nothing else.
//!
//! # Games that agents and values play
//!
//! An agent or value is built for one game. Each function that takes a game gets a null pointer for
//! that game, and an object of any other game, borrowed for the length of the call.

#![allow(clippy::missing_safety_doc)]

#[macro_use]
pub mod interface;
#[macro_use]
pub mod agent;
pub mod call;
pub mod cross;
pub mod data;
#[macro_use]
pub mod game;
pub mod layout;
pub mod library;
pub mod object;
pub mod task;
pub mod training;
#[macro_use]
pub mod value;

pub use layout::LAYOUT;
pub use library::{Contents, Library, Root, RootRef};

/// The version of this ABI, independent of the project's version. Plugins of another version
/// are refused.
pub const ABI_VERSION: u32 = 3;
