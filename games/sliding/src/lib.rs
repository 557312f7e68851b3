//! The kernel of sliding-tile games.
//!
//! A sliding game consists of a *line rule* (the result of pushing one line of cells toward
//! its first cell) and a rule for the tiles that enter. From the line rule a [`Board`]
//! derives everything else: row tables, pushes in four directions, text and symmetries, for
//! all sizes from 2 x 2 to 5 x 5.
//!
//! [`Scattered`] is the complete game if tiles enter on random empty cells. This is one, with
//! everything that a plugin needs:
//!
//! ```
//! use runner_core::{BuildError, Game, Plugin};
//! use runner_sliding::{Entry, LineRule, Rules, Scattered, Setup, slide_far};
//!
//! /// Two equal tiles merge to the next number.
//! struct Counting;
//!
//! impl LineRule for Counting {
//!     fn values(&self) -> Vec<u64> {
//!         (0..16).collect()
//!     }
//!     fn push(&self, line: &mut [u8]) -> f32 {
//!         slide_far(line, |a, b| (a == b && a < 15).then_some((a + 1, 1.0)))
//!     }
//! }
//!
//! impl Plugin for Counting {
//!     const NAME: &'static str = "counting";
//!     const ABOUT: &'static str = "two equal numbers merge to the next";
//!     const VERSION: &'static str = "1.0.0";
//!     type Config = ();
//! }
//!
//! impl Rules for Counting {
//!     fn setup((): ()) -> Result<Setup<Self>, BuildError> {
//!         let entries = vec![Entry { rank: 1, probability: 1.0 }];
//!         Ok(Setup { rows: 4, cols: 4, rule: Counting, entries, start_tiles: 2, goal: 11 })
//!     }
//! }
//!
//! let game = Scattered::<Counting>::new(())?;
//! let state = game.parse("1,1,0,0/0,0,0,0/0,0,0,0/0,0,0,3").unwrap();
//! let left = game.successor(state, runner_sliding::Direction::Left.action()).unwrap();
//! assert_eq!(game.write_afterstate(left.afterstate), "2,0,0,0/0,0,0,0/0,0,0,0/3,0,0,0");
//! # Ok::<(), BuildError>(())
//! ```
//!
//! A game whose tiles enter otherwise implements [`Game`](runner_core::Game) itself, on a
//! [`Board`]: [`Board::slide`] returns which lines moved and leaves the bits outside the
//! cells unchanged.
#![forbid(unsafe_code)]

mod board;
mod direction;
mod doubling;
pub mod lanes;
mod line;
mod playouts;
mod scattered;
mod symmetry;
mod tables;
pub mod text;

pub use board::{Board, SIDES, Slide, check_sides};
pub use direction::Direction;
pub use doubling::{Doubling, stones};
pub use line::{LineRule, slide_far};
pub use runner_core::rows::Entry;
pub use scattered::{Rules, Scattered, Setup};
pub use symmetry::symmetries;

/// Tests the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
