//! A game in progress that a screen or a page shows: of a player, of a person, or recorded.
//!
//! In dependency order: the game with its cursor ([`timeline`]), the player on its own thread
//! ([`thinker`]), games as files (`saved`), commands ([`command`]) and their effect ([`session`]).
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    warn(clippy::disallowed_methods, clippy::print_stderr, clippy::print_stdout)
)]

pub mod command;
mod saved;
pub mod session;
pub mod thinker;
pub mod timeline;
