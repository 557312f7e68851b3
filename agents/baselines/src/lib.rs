//! Players without training: agents that follow a rule ([`RandomAgent`], [`Greedy`],
//! [`GreedyMerges`], [`CornerModel`]), hand-written values ([`heuristics`]), and simple searches
//! ([`Minimax`], [`PureMonteCarlo`]).
#![forbid(unsafe_code)]

mod corner;
mod greedy;
pub mod heuristics;
mod merges;
mod minimax;
mod pure_monte_carlo;
mod random;

pub use corner::CornerModel;
pub use greedy::Greedy;
pub use merges::GreedyMerges;
pub use minimax::{Minimax, MinimaxConfig, MinimaxResult};
pub use pure_monte_carlo::{Decision, PlayoutConfig, PureMonteCarlo};
pub use random::RandomAgent;

use runner_core::geometry::Geometry;
use runner_core::{BuildContext, BuildError};

fn board(context: &BuildContext<'_>, name: &str) -> Result<Geometry, BuildError> {
    let geometry = context.game.geometry.clone();
    geometry.ok_or_else(|| BuildError::new(format!("`{name}` needs a game with a board")))
}
