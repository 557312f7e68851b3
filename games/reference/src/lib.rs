//! What the tests and benches of the games share: nothing here is part of a game.
//!
//! A reference is a [`Game`](runner_core::Game) as slow and plain as it can be
//! told, whose positions are laid out as the fast game's are. [`Scattered`] is the
//! one of all games whose tiles enter on any empty cell; others have one of their
//! own. [`differential`] compares the two on a million positions, [`perft`] on
//! counts of whole trees, [`speed`] in time.
#![forbid(unsafe_code)]

pub mod differential;
pub mod perft;
mod scattered;
pub mod speed;

pub use scattered::{Board, STONE, Scattered, lines};
