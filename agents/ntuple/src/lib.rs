//! The algorithms that train n-tuple networks.
//!
//! A reading order:
//!
//! 1. A [`rule`](rule::Rule) changes the weights of a position by an error. The rules are [`Td`],
//!    [`Tc`] and [`Autostep`]; each file names its equation and its source.
//! 2. A scheme of [`update`] turns the steps of a game into errors.
//! 3. [`starts`] chooses where training games begin.
//! 4. [`trainer`] plays the games of a training.
//! 5. The [`learners`] combine these parts. They are the plugins of this crate, together with
//!    [`Trained`], which only evaluates.
//!
//! The network is in `agent-ntuple-network`, its files are in `agent-ntuple-files`.
#![forbid(unsafe_code)]

pub mod averaging;
mod learner;
pub mod learners;
mod network_cache;
pub mod options;
mod player;
pub mod rule;
pub mod schedule;
pub mod starts;
mod trained;
pub mod trainer;
pub mod update;

pub use learner::Ntuple;
pub use learners::*;
pub use options::{Joint, Shared};
pub use trained::Trained;
