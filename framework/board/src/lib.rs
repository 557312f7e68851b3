//! Algorithms on boards that games and agents share. The shape of a board is a
//! [`Geometry`](runner_core::geometry::Geometry), which a game's description holds.
//!
//! [`RowGame`] plays by a copy of a game's row tables. [`narrow`] has the symmetries of boards up
//! to 4 x 4, and [`SymmetryGroup`] those of all boards.
#![deny(unsafe_code)]

mod group;
pub mod narrow;
mod row_game;

pub use group::SymmetryGroup;
pub use row_game::RowGame;

/// Tests the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
