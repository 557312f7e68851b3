//! The algorithms that train n-tuple networks.
//!
//! The network is in `agent-ntuple-network`, its files are in `agent-ntuple-files`. Here, in
//! dependency order: a [`rule`] changes weights by an error; an update scheme ([`update`])
//! turns the steps of a game into errors; the [`trainer`] plays the games. The [`learners`]
//! join all of these with a rule and are the plugins of this crate.
#![forbid(unsafe_code)]
#![allow(missing_docs)]

pub mod averaging;
mod learner;
mod learner_plugin;
pub mod learners;
mod optimism;
mod options;
pub mod phase;
mod presets;
pub mod restarts;
pub mod rule;
pub mod schedule;
mod touched;
pub mod trainer;
pub mod update;

pub use learners::{
    AutostepConfig, AutostepNtuple, MsTd, MsTdConfig, TcConfig, TcNtuple, TdConfig, TdNtuple,
};
