//! Specs of games, values and agents, and the parameters that plugins declare.
//!
//! A spec is the same text on the command line, in a configuration file and in the header
//! of a model: RON, except that names may begin with a digit and contain hyphens.
//!
//! # Why not `ron` alone
//!
//! `ron` with raw identifiers and `serde_path_to_error` was tried: it needs a lexer of its
//! own to insert the `r#`, reports places in a nested spec relative to that spec, and says
//! neither the type that it found nor the range that it expected. Of `expectimax(depth: "three")`
//! it says "1:8-1:9: Expected integer, path depth", and this crate "parameter `depth`: expected an
//! unsigned integer, found a string (at character 19 of ...)".
//!
//! So the text is parsed here, once, into a tree ([`Spec`] and [`SpecValue`]) that is edited and
//! read; `ron` reads literals and writes configurations.
#![forbid(unsafe_code)]
#![warn(missing_docs)]
#![cfg_attr(
    not(test),
    warn(clippy::disallowed_methods, clippy::print_stderr, clippy::print_stdout)
)]

mod deserialize;
mod document;
mod edit;
mod error;
mod kind;
mod limit;
mod parameter;
mod parse;
mod preset;
mod probability;
pub mod quantity;
mod spec;
mod tree;

#[cfg(test)]
mod tests;

pub use document::{Field, read_document, read_fields};
pub use edit::SpecNumber;
pub use error::{SpecError, nearest, one_line, printable, steers_terminal};
pub use kind::{Kind, Range};
pub use limit::TimeLimit;
pub use parameter::{Allowed, Parameter, ParameterType, ParameterValue, Parameters, allowed};
#[doc(hidden)]
pub use parameter::{ParameterField, read_word};
pub use preset::Preset;
pub use probability::Probability;
#[doc(hidden)]
pub use serde;
pub use spec::SpecOr;
pub use tree::{Spec, SpecValue};

/// Tests the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
