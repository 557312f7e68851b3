//! The laws that every game must satisfy, as a test of one line:
//!
//! ```
//! # use runner_core::Game;
//! # fn example(game: impl Game) {
//! runner_laws::assert_holds(&game);
//! # }
//! ```
//!
//! [`assert_holds`] panics with a report, [`check`] returns it, and [`agree_with`] compares
//! a fast game with a slow reference. All random choices derive from the seed in
//! [`Effort`], so the result for a game is always the same.
//!
//! [`transcript`] compares a seeded game with a text file, and [`doubles`] has a host, a value and
//! an agent for tests.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod actions;
mod chance;
mod check;
mod consistency;
mod crowded;
pub mod doubles;
mod effort;
pub mod goodness_of_fit;
mod law;
mod lists;
mod positions;
mod symmetry;
mod text;
pub mod transcript;

pub use check::{agree_with, assert_holds, check, positions_of_games, spot_check};
pub use effort::{CheckSummary, Effort};
pub use law::{Law, Violation};
