//! Values of boards that people thought out, with no training at all.
//!
//! Each is a rating: what a move earns adds nothing to it, and a lost game is worth
//! the least of all.
//!
//! ```text
//! expectimax(value: rows)
//! expectimax(depth: 4, value: snake-paths(ratio: 0.5))
//! ```
#![forbid(unsafe_code)]

mod board;
mod matrices;
mod paths;
mod rows;
mod smooth;

pub use matrices::{Alpha, Beta, MatrixConfig, SnakeExp, SnakeExpConfig};
pub use paths::{PathsConfig, SnakePaths};
pub use rows::{Rows, RowsConfig};
pub use smooth::{Smooth, SmoothConfig};

use runner_core::BuildError;

/// A weight that can be calculated with.
fn finite(parameter: &str, weight: f64) -> Result<f64, BuildError> {
    match weight.is_finite() {
        true => Ok(weight),
        false => Err(BuildError::of(parameter, format!("{weight} is no weight: numbers are"))),
    }
}

#[cfg(test)]
mod tests;
