//! The rules: against a slow reference, recorded games and the laws that every game satisfies.

use game_2048::{Config, Game2048};
use game_reference::{Scattered, differential};
use runner_core::Probability;

/// Equal tiles below the greatest merge to their sum.
fn merge(a: u64, b: u64) -> Option<u64> {
    (a == b && a < 131_072).then_some(2 * a)
}

fn reference(game: &Game2048, config: &Config) -> Scattered {
    let four = config.four.get();
    Scattered::of(game, merge, &[(2, 1.0 - four), (4, four)])
}

fn compare(rows: usize) {
    for cols in 2..=5 {
        let config = Config { rows, cols, ..Config::default() };
        let fast = Game2048::new(config.clone()).unwrap();
        let slow = reference(&fast, &config);
        differential::compare(&fast, &slow, differential::positions(16), |r| slow.synthetic(r));
    }
}

game_reference::compare_rows!(compare);
game_reference::files_agree!(reference, Game2048::new);

#[test]
fn laws_hold_for_various_parameters() {
    let config = Config::default();
    let certain = |p| Probability::new(p).unwrap();
    for config in [
        config.clone(),
        Config { rows: 2, cols: 2, goal: 16, ..config.clone() },
        Config { rows: 2, cols: 3, start_tiles: 1, ..config.clone() },
        Config { rows: 3, cols: 3, four: certain(0.0), ..config.clone() },
        Config { rows: 4, cols: 3, four: certain(1.0), start_tiles: 12, ..config.clone() },
        Config { rows: 2, cols: 5, four: certain(0.5), ..config.clone() },
        Config { rows: 5, cols: 5, ..config },
    ] {
        runner_laws::assert_holds(&Game2048::new(config).unwrap());
    }
}
