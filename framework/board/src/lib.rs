//! What algorithms share about games on boards. The shape of a board is a
//! [`Geometry`](runner_core::geometry::Geometry), which a game's description holds.
//!
//! [`rows`] are the rules of a sliding board as tables, [`lines`] a value as tables; any game and
//! value is asked for them by [`BoardGame`] and [`BoardValue`]. [`RowGame`] plays by a copy.
//! [`slots`] and [`narrow`] are operations on boards of up to 4 x 4 cells, [`SymmetryGroup`] those
//! of all boards.
#![deny(unsafe_code)]

mod group;
pub mod lines;
pub mod narrow;
mod row_game;
pub mod rows;
pub mod slots;

pub use group::SymmetryGroup;
pub use row_game::RowGame;

use lines::LineValues;
use rows::RowTables;
use runner_core::{Game, Value};

/// The tables of a game on a sliding board.
pub trait BoardGame: Game {
    /// The game's [tables](Game::tables), if they are row tables.
    fn row_tables(&self) -> Option<&RowTables> {
        self.tables()?.downcast_ref()
    }
}

impl<G: Game + ?Sized> BoardGame for G {}

/// The tables of a value of boards.
pub trait BoardValue: Value {
    /// The value's [tables](Value::tables), if they are line values.
    fn line_values(&self) -> Option<&LineValues> {
        self.tables()?.downcast_ref()
    }
}

impl<V: Value + ?Sized> BoardValue for V {}

/// Tests the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
