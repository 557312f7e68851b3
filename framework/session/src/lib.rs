//! A game in progress that a screen or a page shows: of a player, of a person, or recorded.
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    warn(clippy::disallowed_methods, clippy::print_stderr, clippy::print_stdout)
)]

pub mod command;
pub mod session;
pub mod thinker;
pub mod timeline;
