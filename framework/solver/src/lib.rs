//! The exact value of a small game: what the best play earns on average, from the
//! start and from every state that play can reach.
//!
//! [`solve`] finds every reachable state, one for all that differ by a symmetry,
//! and then the value of each. A game whose chance raises a layer
//! ([`Game::layer`](runner_core::Game::layer)) is gone through layer by layer, up
//! and down again (`layered`); any other is swept until its values settle
//! (`iterated`).
//!
//! [`save`] writes the worth of every afterstate to a file, and [`PackedWorths`] is
//! what a player reads of it.
//!
//! In dependency order: `stop` (why a solve ends early), `key` (positions as keys),
//! `memory` (the limit), `table` (keys in a hash table), `crew` (threads), `buckets`
//! (keys on their way from one thread to another), `rules` (the recursion itself),
//! `worths` (what is kept for the exact player), `harvest` (how it is brought in),
//! `layered`, `iterated`, `solve`; then `packed`, the file.
#![forbid(unsafe_code)]

mod buckets;
mod crew;
mod harvest;
mod iterated;
mod key;
mod layered;
mod memory;
mod packed;
mod rules;
mod solve;
mod stop;
mod table;
mod worths;

pub use packed::{PackedWorths, save};
pub use solve::{Answer, Means, Progress, Question, Solution, solve};
pub use stop::SolveError;
pub use worths::Worths;

pub(crate) use stop::Stop;
