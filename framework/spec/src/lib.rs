//! Specs of games, values and agents, the parameters that plugins declare, and
//! quantities (counts, durations, sizes).
//!
//! A spec is the same text on the command line, in a configuration file and in the header
//! of a model: RON, except that names may begin with a digit and contain hyphens.
//!
//! # Why not `ron` alone
//!
//! `ron` with raw identifiers and `serde_path_to_error` was tried: it needs a lexer of its
//! own to insert the `r#`, reports places in a nested spec relative to that spec, and says
//! neither the type that it found nor the range that it expected:
//!
//! | text | `ron` with `serde_path_to_error` | this crate |
//! |---|---|---|
//! | `expectimax(depth: "three")` | 1:8-1:9: Expected integer, path depth | parameter `depth`: expected an unsigned integer, found a string (at character 19 of ...) |
//! | `expectimax(depth: 5000000000)` | 1:9-1:19: Integer is out of bounds, path depth | parameter `depth`: 5000000000 is out of range: at most 4294967295 (at character 19 of ...) |
//! | `expectimax(depth: 2, value: tc-ntuple(lambda: 0.5)` | 1:42-1:43: Expected comma | `(` is not closed (at character 11 of ...) |
//!
//! So the text is parsed here, and `ron` reads literals and writes values.
//!
//! Modules in dependency order: [`quantity`]; `printable` (text that cannot steer a terminal);
//! `probability`; `limit`; `error`; `tree` (the shape of a text); `parse`; `print`; `spec`;
//! `deserialize` (serde on trees);
//! `document` (conversion to and from Rust values); `path` (parameters by path); `preset`
//! (named sets of parameters); `kind` and `parameter` (the declarations of plugins).
#![forbid(unsafe_code)]
#![warn(missing_docs)]
#![cfg_attr(
    not(test),
    warn(clippy::disallowed_methods, clippy::print_stderr, clippy::print_stdout)
)]

mod deserialize;
mod document;
mod error;
mod kind;
mod limit;
mod parameter;
mod parse;
mod path;
mod preset;
mod print;
mod printable;
mod probability;
pub mod quantity;
mod spec;
mod tree;

#[cfg(test)]
mod tests;

pub use document::{Field, read_document, read_fields};
pub use error::{SpecError, nearest};
pub use kind::{Kind, Range};
pub use limit::TimeLimit;
pub use parameter::{
    Allowed, InvalidParameter, Parameter, ParameterType, ParameterValue, Parameters, allowed,
};
#[doc(hidden)]
pub use parameter::{
    Checked, ParameterFields, join_fields, read_parameters, with_defaults, write_parameters,
};
pub use path::SpecNumber;
pub use preset::{CompletedSpec, Preset};
pub use printable::printable;
pub use probability::Probability;
#[doc(hidden)]
pub use serde;
pub use spec::{Spec, SpecOr};

/// Tests the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
