//! Plays games: players from specs, their models, and the engine of games.
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    warn(clippy::disallowed_methods, clippy::print_stderr, clippy::print_stdout)
)]

pub mod analysis;
pub mod arena;
pub mod brief;
pub mod calls;
pub mod chances;
pub mod comparison;
pub mod document;
pub mod evaluation;
pub mod failure;
pub mod faults;
pub mod grades;
pub mod inputs;
pub mod kept;
pub mod learners;
pub mod luck;
pub mod memory;
pub mod models;
pub mod names;
pub mod player;
pub mod position;
pub mod registry;
pub mod review;
pub mod setting;
pub mod solving;
pub mod threads;
pub mod watched;
pub mod written;
