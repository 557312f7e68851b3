//! Tests of specs and documents, and the types that they read.

mod edits;
mod errors;
mod parameters;
mod presets;
mod properties;
mod reading;

use crate::{Probability, Spec, SpecError};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fmt;

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Board {
    rows: u8,
    cols: u8,
    four: Probability,
    goal: u64,
    start_tiles: u32,
}

impl Default for Board {
    fn default() -> Self {
        let four = Probability::new(0.1).unwrap();
        Self { rows: 4, cols: 4, four, goal: 2048, start_tiles: 2 }
    }
}

#[derive(Clone, Copy, Default, PartialEq, Debug, Serialize, Deserialize)]
enum Entry {
    #[default]
    #[serde(rename = "moved_lines")]
    MovedLines,
    #[serde(rename = "far-edge")]
    FarEdge,
    #[serde(rename = "cell")]
    Cell(u8),
    #[serde(rename = "box")]
    Box { rows: u8 },
}

#[derive(Clone, Copy, Default, PartialEq, Debug, Serialize, Deserialize)]
struct Seed(u64);

#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Search {
    depth: i32,
    rate: f64,
    value: Option<Spec>,
    others: Vec<Spec>,
    entry: Entry,
    file: String,
    limits: Option<(u8, u8)>,
    seed: Seed,
    exact: bool,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Needs {
    value: Spec,
    inner: Option<Board>,
}

fn spec(text: &str) -> Spec {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

fn read<T: DeserializeOwned>(text: &str) -> T {
    spec(text).read().unwrap_or_else(|error| panic!("{error}"))
}

/// Returns the error of a spec that is invalid or does not read as a `T`.
fn error_of<T: DeserializeOwned + fmt::Debug>(text: &str) -> SpecError {
    match text.parse::<Spec>() {
        Ok(spec) => spec.read::<T>().expect_err(text),
        Err(error) => error,
    }
}
