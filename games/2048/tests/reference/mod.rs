//! The slow reference of 2048.

use game_2048::{Config, Game2048};
use game_reference::Scattered;

/// Equal tiles below the greatest merge to their sum.
fn merge(a: u64, b: u64) -> Option<u64> {
    (a == b && a < 131_072).then_some(2 * a)
}

pub fn reference(game: &Game2048, config: &Config) -> Scattered {
    let four = config.four.get();
    Scattered::of(game, merge, &[(2, 1.0 - four), (4, four)])
}
