//! N-tuple networks and the algorithms that train them.
//!
//! In dependency order: a [`network`] turns a position into the indices of its weights, which
//! lie in [`memory`]; a [`rule`] changes weights by an error; [`promotion`] copies weights from
//! stage to stage; an update scheme ([`update`])
//! turns the steps of a game into errors; the [`trainer`] plays the games. The [`learners`]
//! join all of these with a rule and are the plugins of this crate.
//!
//! Unsafe code is in [`memory`], and in single expressions elsewhere that say why they are
//! sound.
#![deny(unsafe_code)]

pub mod averaging;
mod folding;
pub mod initial;
mod learner;
mod learner_plugin;
pub mod learners;
mod limited_lookup;
#[allow(unsafe_code)]
pub mod memory;
mod model;
pub mod network;
mod optimism;
mod options;
pub mod phase;
mod presets;
pub mod promotion;
mod recent;
pub mod restarts;
pub mod rule;
pub mod schedule;
mod threads;
mod touched;
pub mod trainer;
pub mod update;
pub mod value_function;

pub use learners::{
    AutostepConfig, AutostepNtuple, MsTd, MsTdConfig, TcConfig, TcNtuple, TdConfig, TdNtuple,
};
pub use model::{History, StageEntrances};
