//! Exact solution of small games: the expected score of optimal play from the start
//! and from every reachable state.
//!
//! [`solve`] enumerates the reachable states, one representative per symmetry class,
//! and computes the value of each. A game whose chance outcomes raise a layer
//! ([`Game::layer`](runner_core::Game::layer)) is solved by backward induction, layer
//! by layer; any other game by value iteration, which is Algorithm 2 ("Reinforcement
//! Learning") of the tree-search paper on 2048.
//!
//! [`save`] writes the value of every afterstate to a file. [`PackedValues`] reads that
//! file and looks values up during play.
//!
//! Modules in dependency order: `error`; `key` (positions as hash keys); `memory` (the
//! memory limit); `table` (hash tables); `pool` (threads); `buffers` (keys on their way
//! to the tables of other threads); `bellman` (the Bellman equation on canonical
//! positions); `file` (the values of all afterstates); `job` (options, progress and the state
//! of one solve); `collector` (collects afterstate values during a solve); `layer`,
//! `enumeration` and `induction` (backward induction: a first pass from the lowest layer up
//! finds all states, a second from the highest down computes their values); `value_iteration`
//! (the other method); `estimate` (how many states there are at least); `solve`.
//!
//! [`perft`](fn@perft) counts the leaves of the game tree.
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    warn(clippy::disallowed_methods, clippy::print_stderr, clippy::print_stdout)
)]

mod bellman;
mod buffers;
mod collector;
mod enumeration;
mod error;
mod estimate;
mod file;
mod induction;
mod job;
mod key;
mod layer;
mod memory;
mod perft;
mod pool;
mod solve;
mod table;
mod value_iteration;

pub use error::SolveError;
pub use estimate::{at_least, refuse_large};
pub use file::{PackedValues, save};
pub use job::{Resources, Solution, SolveOptions, SolveProgress, StateValue};
pub use perft::perft;
pub use solve::solve;
