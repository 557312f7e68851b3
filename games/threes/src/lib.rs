//! The rules of Threes.
//!
//! Every tile moves by at most one cell. A 1 and a 2 merge to 3, and two equal
//! tiles from 3 on to their sum. The next tile was announced before the move: a
//! 1, 2 or 3 from a bag of twelve, or a bonus of which only the player's greatest
//! tile tells how much it may be. It enters at the far edge, in a line that moved.
//!
//! ```
//! use game_threes::{Config, Threes};
//! use runner_core::Game;
//!
//! let game = Threes::new(Config { rows: 2, cols: 3, ..Config::default() })?;
//! let state = game.parse("1,2,3/0,3,0 next=1 bag=3,4,4").unwrap();
//! let left = game.successor(state, runner_core::Action(3)).unwrap(); // up, right, down, left
//! assert_eq!(left.reward, 3.0); // the 1 and the 2 have become a 3
//! let next = game.spawn(left.afterstate, 0);
//! assert_eq!(game.write(next), "3,3,1/3,0,0 next=1 bag=2,4,4");
//! # Ok::<(), runner_core::BuildError>(())
//! ```
//!
//! # Points
//!
//! A tile v from 3 on is worth 3^(log2(v/3)+1) points, 1 and 2 are worth nothing,
//! and the score is what the tiles on the board are worth. Every change of that
//! sum is a reward at the moment it comes about:
//!
//! - the player's action earns what its merges add: `successor.reward`;
//! - a tile that enters is worth its points: `chance_reward(Some(afterstate), state)`;
//! - so are the tiles of the start: `chance_reward(None, start)`.
//!
//! The rewards of a game therefore add up to its score exactly. All are whole
//! numbers that an `f32` holds.
//!
//! # What a player knows
//!
//! The board, the announcement, and by counting what is left in the bag. The value
//! of an announced bonus is decided when it enters, with odds from the greatest
//! tile at the time of its announcement. `layout` says where all this lies in a
//! position.
//!
//! In dependency order: `tiles` (ranks, points, what merges), `bag`, `layout`,
//! `config` (the parameters), `game` (moves), `chance` (entries), `starts`, `playouts`, `text`.
#![forbid(unsafe_code)]

mod bag;
mod chance;
mod config;
mod game;
mod layout;
mod playouts;
mod starts;
mod text;
mod tiles;

pub use config::{Config, Entry};
pub use game::Threes;
