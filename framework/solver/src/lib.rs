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
pub use job::{Solution, SolveOptions, SolveProgress, SolveResources, StateValue};
pub use perft::perft;
pub use solve::solve;
