//! Players of boards that follow rules of thumb and look no further than their move.
#![forbid(unsafe_code)]

mod corner;
mod merges;

pub use corner::CornerModel;
pub use merges::GreedyMerges;

use runner_core::BuildContext;
use runner_core::BuildError;
use runner_core::board::Geometry;

/// The board of the game, which such a player needs.
fn board(site: &BuildContext<'_>, name: &str) -> Result<Geometry, BuildError> {
    let none = || BuildError::new(format!("`{name}` looks at boards, and this game has none"));
    site.game.geometry.clone().ok_or_else(none)
}
