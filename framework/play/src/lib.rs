//! Plays games: players from specs, their models, and the engine of games.
//!
//! In dependency order: the error of a job ([`failure`]), games that ended by a fault ([`faults`]),
//! the calls of plugins under way ([`calls`]), plugins by name, and the objects built from specs
//! ([`registry`]), texts and files ([`names`], [`brief`], [`document`]),
//! models and learners ([`models`], [`learners`], [`inputs`]), threads and memory ([`memory`],
//! [`threads`]), players ([`player`], [`setting`]), calls under watch ([`watched`]), positions
//! and games as text ([`position`], [`positions`], [`written`]), the luck of games ([`luck`]), files of games that continue ([`kept`]),
//! grades of moves ([`grades`]), and what plays ([`evaluation`], [`arena`], [`comparison`],
//! [`analysis`]).
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    warn(clippy::disallowed_methods, clippy::print_stderr, clippy::print_stdout)
)]

pub mod analysis;
pub mod arena;
pub mod brief;
pub mod calls;
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
pub mod positions;
pub mod registry;
pub mod setting;
pub mod threads;
pub mod watched;
pub mod written;
