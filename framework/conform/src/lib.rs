//! The judge of other implementations of a game: compares their transitions with the rules, and
//! their random outcomes with the exact distributions.
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    warn(clippy::disallowed_methods, clippy::print_stderr, clippy::print_stdout)
)]

mod chance;
mod hunt;
mod judge;
mod reader;
mod verdict;

pub use hunt::{Hunt, HuntOptions};
pub use judge::Judge;
pub use reader::{Notation, Reader};
pub use verdict::{Outcome, Verdict};
