//! N-tuple networks, and the rules by which they learn.
//!
//! A [`network`] says which cells are looked at, a [`rule`] how a weight moves by
//! an error, a [`credit`] which estimates answer for it, [`learned`] what they are of;
//! the [`trainer`] plays, and a learner is all of these. To add a rule: a file in `rule`, and a name for it
//! in `plugins.rs`.
//!
//! What is unsafe is in [`memory`], with few lines elsewhere that say why they
//! are sound.
#![deny(unsafe_code)]

mod config;
pub mod credit;
pub mod learned;
mod learner;
#[allow(unsafe_code)]
pub mod memory;
mod model;
pub mod network;
mod plugins;
mod recent;
#[allow(unsafe_code)]
pub mod rule;
pub mod schedule;
pub mod trainer;

pub use config::{AutostepConfig, TcConfig, TdConfig};
pub use model::History;
pub use plugins::{AutostepNtuple, TcNtuple, TdNtuple};
