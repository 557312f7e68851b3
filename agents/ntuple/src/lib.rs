//! The algorithms that train n-tuple networks. Each file of an algorithm has its equation and its
//! source.
//!
//! Read first how a weight changes by an error, the [`rule`](rule::Rule) of each learner:
//! [`Td`], [`Tc`] and [`Autostep`]. Then how the
//! steps of a game become errors, the schemes of [`update`]; where games begin, [`starts`]; and how
//! they are played, [`trainer`]. The [`learners`] join all of these and are the plugins of this
//! crate.
//!
//! The network is in `agent-ntuple-network`, its files are in `agent-ntuple-files`.
#![forbid(unsafe_code)]

pub mod averaging;
mod learner;
pub mod learners;
pub mod options;
mod player;
pub mod rule;
pub mod schedule;
mod shared;
pub mod starts;
mod trained;
pub mod trainer;
pub mod update;

pub use learner::Ntuple;
pub use learners::*;
pub use options::{Joint, Shared};
pub use trained::Trained;
