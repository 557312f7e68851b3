//! N-tuple networks, and the rules by which they learn.
//!
//! A [`network`] says which cells are looked at, a [`rule`] how a weight moves by
//! an error, a [`credit`] which estimates answer for it; the [`trainer`] plays.
#![deny(unsafe_code)]

pub mod credit;
mod learner;
#[allow(unsafe_code)]
pub mod memory;
pub mod network;
mod recent;
#[allow(unsafe_code)]
pub mod rule;
pub mod schedule;
pub mod trainer;

pub use learner::Network;
