//! Exact tables of endings in play: [`Endgame`], a value that asks them where they answer, and
//! [`EndgameMoves`], an agent that takes their moves.
//!
//! `runner endgame build` makes a table. [`Tables`] has the code that both share, and learners use.
#![forbid(unsafe_code)]

mod moves;
mod tables;
#[cfg(test)]
mod tests;
mod value;

pub use moves::EndgameMoves;
pub use tables::{FORM, Tables};
pub use value::Endgame;
