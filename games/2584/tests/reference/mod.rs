//! The slow reference of 2584.

use game_2584::{Config, Game2584};
use game_reference::Scattered;

/// Two 1s merge, and so do neighbours in the sequence.
fn merge(a: u64, b: u64) -> Option<u64> {
    let follows = |a: u64, b: u64| {
        let (mut low, mut high) = (1, 2);
        while high < b {
            (low, high) = (high, low + high);
        }
        high == b && low == a
    };
    let merges = (a, b) == (1, 1) || follows(a.min(b), a.max(b));
    (merges && a + b <= 2_178_309).then_some(a + b)
}

pub fn reference(game: &Game2584, config: &Config) -> Scattered {
    let three = config.three.get();
    Scattered::of(game, merge, &[(1, 1.0 - three), (3, three)])
}
