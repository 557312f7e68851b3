//! Rule-based agents for board games, without search and without learning.
#![forbid(unsafe_code)]

mod corner;
mod merges;

pub use corner::CornerModel;
pub use merges::GreedyMerges;

use runner_core::BuildContext;
use runner_core::BuildError;
use runner_core::geometry::Geometry;

fn board(context: &BuildContext<'_>, name: &str) -> Result<Geometry, BuildError> {
    let none = || BuildError::new(format!("`{name}` needs a game with a board"));
    context.game.geometry.clone().ok_or_else(none)
}
