//! Hand-written values for board games, which need no training.
//!
//! Each is a rating: rewards do not add to it, and a game that is over has the lowest
//! value.
//!
//! ```text
//! expectimax(value: rows)
//! expectimax(depth: 4, value: snake-paths(ratio: 0.5))
//! ```

mod board;
mod matrices;
mod paths;
mod rows;
mod smooth;
pub mod snakes;

pub use matrices::{Alpha, Beta, SnakeExp};
pub use paths::{PathsConfig, SnakePaths};
pub use rows::{Rows, RowsConfig};
pub use smooth::Smooth;

#[cfg(test)]
mod tests;
