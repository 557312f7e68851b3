//! The rules: against a slow reference, recorded games and the laws that every game satisfies.

use game_2584::{Config, Game2584};
use game_reference::{Scattered, differential};
use runner_core::Probability;

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

fn reference(game: &Game2584, config: &Config) -> Scattered {
    let three = config.three.get();
    Scattered::of(game, merge, &[(1, 1.0 - three), (3, three)])
}

fn compare(rows: usize) {
    for cols in 2..=5 {
        let config = Config { rows, cols, ..Config::default() };
        let fast = Game2584::new(config.clone()).unwrap();
        let slow = reference(&fast, &config);
        differential::compare(&fast, &slow, differential::positions(16), |r| slow.synthetic(r));
    }
}

game_reference::compare_rows!(compare);
game_reference::files_agree!(reference, Game2584::new);

#[test]
fn laws_hold_for_various_parameters() {
    let config = Config::default();
    let certain = |p| Probability::new(p).unwrap();
    for config in [
        config.clone(),
        Config { rows: 2, cols: 2, goal: 21, ..config.clone() },
        Config { rows: 2, cols: 3, start_tiles: 1, ..config.clone() },
        Config { rows: 3, cols: 3, three: certain(0.0), ..config.clone() },
        Config { rows: 4, cols: 3, three: certain(1.0), start_tiles: 12, ..config.clone() },
        Config { rows: 2, cols: 5, three: certain(0.5), ..config.clone() },
        Config { rows: 5, cols: 5, ..config },
    ] {
        runner_laws::assert_holds(&Game2584::new(config).unwrap());
    }
}
