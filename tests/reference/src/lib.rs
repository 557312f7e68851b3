//! Support for the tests of the games.
//!
//! A reference is a [`Game`](runner_core::Game) written for clarity, not speed, whose positions
//! have the layout of the fast game. [`Scattered`] is the reference of all games whose tiles
//! enter on any empty cell. [`differential`] compares a game with its reference on a million
//! positions, [`perft`] by counts of whole trees.
#![forbid(unsafe_code)]

pub mod differential;
pub mod perft;
mod scattered;

pub use scattered::{Board, STONE, Scattered, lines};
