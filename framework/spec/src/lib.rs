//! Specs of games, values and agents, the parameters that plugins declare, and
//! quantities (counts, durations, sizes) as people write them.
//!
//! In dependency order: [`quantity`], [`Probability`], [`Parameter`], [`Spec`] with its errors
//! ([`SpecError`]) and numeric parameters ([`SpecNumber`]).
#![forbid(unsafe_code)]

mod error;
mod parameter;
mod parameters;
mod probability;
pub mod quantity;
mod read;
mod spec;
mod tree;

#[cfg(test)]
mod tests;

pub use error::{SpecError, nearest};
pub use parameter::Parameter;
pub use parameters::SpecNumber;
pub use probability::Probability;
pub use spec::{Spec, read_document};
