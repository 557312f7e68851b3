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

/// No weight is greater. Two of them, the greatest tile and every cell of a board still
/// make a number of 32 bits.
const GREATEST_WEIGHT: f64 = 1e12;

/// A weight that can be calculated with.
fn finite(parameter: &str, weight: f64) -> Result<f64, BuildError> {
    match weight.abs() <= GREATEST_WEIGHT {
        true => Ok(weight),
        false => {
            let message = format!("{weight} is no weight: numbers from -1e12 to 1e12 are");
            Err(BuildError::of(parameter, message))
        }
    }
}

#[cfg(test)]
mod tests;
