//! Tests of specs and documents, and the types that the tests read from them.

mod edits;
mod errors;
mod parameters;
mod presets;
mod properties;
mod quantities;
mod reading;

use crate::{ParameterValue, Parameters, Probability, Spec, SpecError, parameters};
use serde::{Deserialize, Serialize};
use std::fmt;

parameters! {
    struct Board {
        /// Rows
        rows: u8 = 4;
        /// Columns
        cols: u8 = 4;
        /// Share of fours
        four: Probability = Probability::new(0.1).unwrap();
        /// Tile to reach
        goal: u64 = 2048;
        /// Tiles at the start
        start_tiles: u32 = 2;
    }
}

#[derive(Clone, Copy, Default, PartialEq, Debug, Serialize, Deserialize)]
enum Entry {
    #[default]
    #[serde(rename = "moved_lines")]
    MovedLines,
    #[serde(rename = "far-edge")]
    FarEdge,
    #[serde(rename = "1st-cell")]
    FirstCell,
}

#[derive(Clone, Copy, Default, PartialEq, Debug, Serialize, Deserialize)]
struct Seed(u64);

impl ParameterValue for Entry {}
impl ParameterValue for Seed {}

parameters! {
    struct Search {
        /// Depth
        depth: i32 = 0;
        /// Rate
        rate: f64 = 0.0;
        /// A value
        value: Option<Spec> = None, value();
        /// Values
        others: Vec<Spec> = vec![], list(value());
        /// A choice
        entry: Entry = Entry::MovedLines, variants::<Entry>();
        /// A file
        file: String = String::new(), file();
        /// A pair
        limits: Option<(u8, u8)> = None, other("two numbers");
        /// A number behind a newtype
        seed: Seed = Seed(0), other("a seed");
        /// A flag
        exact: bool = false;
    }
}

/// A struct whose first field has no default value.
#[derive(Clone, PartialEq, Debug, Deserialize)]
struct Needs {
    value: Spec,
    inner: Option<Inner>,
}

#[derive(Clone, PartialEq, Debug, Deserialize)]
struct Inner {
    rows: u8,
}

fn spec(text: &str) -> Spec {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

fn read<T: Parameters>(text: &str) -> T {
    spec(text).read().unwrap_or_else(|error| panic!("{error}"))
}

/// Returns the error of a spec that is invalid or does not read as a `T`.
fn error_of<T: Parameters + fmt::Debug>(text: &str) -> SpecError {
    match text.parse::<Spec>() {
        Ok(spec) => spec.read::<T>().expect_err(text),
        Err(error) => error,
    }
}
