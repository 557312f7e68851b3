//! Errors about models that do not fit a network.

use agent_ntuple_network::Shape;
use runner_files::container::ReadAt;
use runner_files::{Container, ContainerError, Problem};
use std::fmt::Display;

/// Magnitude above which a weight shows that its training has diverged. Scores are far below.
pub const DIVERGED: f32 = 1e15;

/// Returns the problem of a model that is intact, but has another property than needed.
pub fn mismatch(property: &str, found: impl Display, needed: impl Display) -> Problem {
    Problem::Unsuitable(format!("does not fit: its {property} is `{found}`, needed is `{needed}`"))
}

pub fn not_finite<S: ReadAt>(
    container: &Container<S>,
    shape: &Shape<'_>,
    place: usize,
    value: f32,
) -> ContainerError {
    let name = shape.name(place);
    container.error(Problem::Damaged(format!("{name} is {value}, not a finite number")))
}

pub fn impossible_state<S: ReadAt>(
    container: &Container<S>,
    shape: &Shape<'_>,
    place: usize,
    word: u32,
) -> ContainerError {
    let name = shape.name(place);
    container
        .error(Problem::Damaged(format!("the learning state of {name} is invalid: {word:#010x}")))
}
