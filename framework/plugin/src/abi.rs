//! The plugin ABI, version 2: the types that cross the boundary, frozen within one major
//! version.
//!
//! # Objects
//!
//! A game, value, agent, host or training session crosses as an *object*: a pointer that
//! only its own library dereferences ([`This`]), and a table of functions. [`game`] and
//! [`agent`] define the objects of games and agents. Values, learners, training sessions
//! and hosts refer to each other and are defined together in [`objects`]; their data types
//! are in [`value`] and [`training`]. [`library`] defines the exports of a library, and
//! [`build`] the results of building objects.
//!
//! # Calls
//!
//! Every function that can fail returns a [`Call`](call::Call): null, or the message of
//! the fault. It writes its result through its last pointer and leaves that memory alone
//! when it fails. No panic crosses the boundary in either direction: plugins guard every
//! function that the host calls, the host guards every function that plugins call. The
//! caller of a failed function raises the fault again on its own side.
//!
//! # Layout
//!
//! The types of this module derive `StableAbi`, and the loader compares them field by
//! field. The types of `runner-core` that cross by pointer cannot derive it; they cross
//! as [`In`](call::In) and [`Out`](call::Out), and [`CORE_LAYOUT`] covers every one of
//! their fields. The library's note contains the hash, and the loader compares it before
//! any code of the library runs.
//!
//! # Games that agents and values play
//!
//! An agent or value is built for one game. Each function that takes a game gets a null
//! pointer for that game, and an object of any other game, borrowed for the length of the
//! call.
//!
//! # Growth
//!
//! Tables never change within a major version. New functions go into extension tables,
//! which are found by number through a table's `extension` function (see [`extension`]).
//! The side that does not know an extension, or has another layout of it, works without.

// The derive generates modules without documentation.
#![allow(missing_docs, clippy::missing_safety_doc)]

pub mod agent;
pub mod build;
pub mod call;
pub mod extension;
pub mod game;
pub mod library;
pub mod objects;
pub mod training;
pub mod value;

pub use library::{Contents, Root, RootRef};

use runner_board::{rows, slots};
use runner_core::layout::{Layout, hash_all};
use runner_core::{
    Action, Afterstate, Episode, MAX_ACTIONS, Outcome, Outcomes, Playout, Start, State, Successor,
    Successors,
};

/// The version of this ABI, independent of the project's version. Plugins of another
/// major version are refused.
pub const ABI_MAJOR: u32 = 2;
/// Raised when an extension is added. Every minor version works with every other one.
///
/// Version 0 has no extensions, and 1 adds [`value::PolicyTable`]. The feature `minor-0`
/// builds version 0, for the test that both work together.
pub const ABI_MINOR: u32 = if cfg!(feature = "minor-0") { 0 } else { 1 };

/// The pointer of an object.
pub type This = *const u8;

/// The layout of everything in `runner-core` that crosses by pointer, with the constants
/// that give its bits a meaning. A plugin contains the hash of its build, which must equal
/// that of the host.
pub const CORE_LAYOUT: u64 = hash_all(&[
    State::LAYOUT,
    Afterstate::LAYOUT,
    Action::LAYOUT,
    Successor::LAYOUT,
    Successors::LAYOUT,
    Outcome::LAYOUT,
    Outcomes::LAYOUT,
    Episode::LAYOUT,
    Playout::LAYOUT,
    Start::LAYOUT,
    slots::LAYOUT,
    rows::LAYOUT,
    <[f32; rows::ROWS]>::LAYOUT,
    MAX_ACTIONS as u64,
]);
