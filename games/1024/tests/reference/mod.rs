//! The slow reference of 1024.

use game_1024::{Config, Game1024};
use game_reference::Scattered;

/// Equal tiles below the greatest merge to their sum.
fn merge(a: u64, b: u64) -> Option<u64> {
    (a == b && a < 131_072).then_some(2 * a)
}

pub fn reference(game: &Game1024, config: &Config) -> Scattered {
    let two = config.two.get();
    let reference = Scattered::of(game, merge, &[(1, 1.0 - two), (2, two)]);
    Scattered { blocked: config.blocked.clone(), ..reference }
}
