//! The kernel that all sliding-tile games share.
//!
//! A sliding game is a *line rule* (what becomes of one line of cells that is
//! pushed toward its first) and a manner of chance. From the line rule a
//! [`Board`] makes everything else: tables of all rows, pushes in four
//! directions, text, symmetries, for all sizes from 2 x 2 to 5 x 5.
//!
//! A game whose tiles enter on any empty cell is then done: [`Scattered`] is the
//! whole game. This is one, with all that a plugin needs:
//!
//! ```
//! use runner_core::rows::Entry;
//! use runner_core::{BuildError, Game, Plugin};
//! use runner_sliding::{LineRule, Rules, Scattered, Setup, slide_far};
//!
//! /// Tiles count up: two equal ones make the next number.
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
//!     const ABOUT: &'static str = "two equal numbers make the next";
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
//! A game with another manner of chance implements
//! [`Game`](runner_core::Game) itself, on a [`Board`]: [`Board::slide`] says which
//! lines moved, and leaves the bits that are no cells alone.
//!
//! In dependency order: [`Direction`], [`LineRule`], the tables, [`symmetries`],
//! [`text`], [`Board`], [`lanes`] of random games, [`Scattered`].
#![forbid(unsafe_code)]

mod board;
mod direction;
pub mod lanes;
mod line;
mod playouts;
mod scattered;
mod symmetry;
mod tables;
pub mod text;

pub use board::{Board, SIDES, Slide, check_sides};
pub use direction::{ActionOrder, Direction};
pub use line::{LineRule, slide_far};
pub use scattered::{Rules, Scattered, Setup};
pub use symmetry::symmetries;
