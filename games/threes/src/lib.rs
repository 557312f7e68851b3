//! The rules of Threes.
//!
//! Every tile moves by at most one cell. A 1 and a 2 merge to 3, and two equal tiles from 3 on
//! merge to their sum. The next tile is announced before the move: a 1, 2 or 3 from a bag of
//! twelve, or a bonus, whose value is unknown and at most an eighth of the max tile. It enters
//! at the far edge, in a line that moved.
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
//! # Rewards
//!
//! A tile v of 3 or more scores 3^(log2(v/3)+1) points, 1 and 2 score nothing, and the score
//! of a game is the sum over the tiles on the final board. Every change of this sum is a
//! reward when it happens:
//!
//! - an action's reward is the points that its merges add: `successor.reward`;
//! - a tile that enters adds its points: `chance_reward(Some(afterstate), state)`;
//! - the tiles of the start add theirs: `chance_reward(None, start)`.
//!
//! So the rewards of a game sum to its score exactly. All are integers that an `f32`
//! represents.
//!
//! # Observable state
//!
//! A player sees the board and the announcement, and can count the bag. The value of an
//! announced bonus is drawn when it enters, uniformly from 6 to an eighth of the max tile at
//! the time of its announcement. With `bonus: "set"` the announcement shows up to three consecutive
//! tiles of these, all sets being equally likely, and one of them enters, all being equally likely.
//! `layout` documents the bits of a position.
#![forbid(unsafe_code)]

mod bag;
mod chance;
mod config;
mod game;
mod layout;
mod playouts;
mod rules;
mod starts;
mod text;
mod tiles;

pub use config::{Bonus, Config, Entry};
pub use rules::Threes;
