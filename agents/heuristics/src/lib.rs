//! Hand-written values for board games, which need no training.
//!
//! Each is a rating: rewards do not add to it, and a game that is over has the lowest
//! value.
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
pub mod snakes;

pub use matrices::{Alpha, Beta, MatrixConfig, SnakeExp, SnakeExpConfig};
pub use paths::{PathsConfig, SnakePaths};
pub use rows::{Rows, RowsConfig};
pub use smooth::{Smooth, SmoothConfig};

use runner_core::{Allowed, allowed};

/// The greatest absolute weight. The product of two weights, the greatest tile and the
/// number of cells still fits an `f32`.
const MAX_WEIGHT: f64 = 1e12;

fn weight() -> Allowed {
    allowed::range(-MAX_WEIGHT..=MAX_WEIGHT)
}

#[cfg(test)]
mod tests;
