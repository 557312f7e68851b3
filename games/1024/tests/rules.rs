//! The rules: against a slow reference, recorded games and the laws that every game satisfies.

use game_1024::{Config, Game1024};
use game_reference::{Scattered, differential};
use runner_core::Probability;

/// Equal tiles below the greatest merge to their sum.
fn merge(a: u64, b: u64) -> Option<u64> {
    (a == b && a < 131_072).then_some(2 * a)
}

fn reference(game: &Game1024, config: &Config) -> Scattered {
    let two = config.two.get();
    let reference = Scattered::of(game, merge, &[(1, 1.0 - two), (2, two)]);
    Scattered { blocked: config.blocked.clone(), ..reference }
}

fn compare(rows: usize) {
    for cols in 2..=5 {
        // Every second board has a stone.
        let blocked = if cols % 2 == 0 { vec![] } else { vec![rows + cols] };
        let blocked = blocked.into_iter().filter(|&cell| cell < rows * cols).collect();
        let config = Config { rows, cols, blocked, ..Config::default() };
        let fast = Game1024::new(config.clone()).unwrap();
        let slow = reference(&fast, &config);
        differential::compare(&fast, &slow, differential::positions(16), |r| slow.synthetic(r));
    }
}

game_reference::compare_rows!(compare);
game_reference::files_agree!(reference, Game1024::new);

#[test]
fn laws_hold_for_various_parameters() {
    let config = Config::default();
    let certain = |p| Probability::new(p).unwrap();
    for config in [
        config.clone(),
        Config { rows: 2, cols: 2, goal: 16, ..config.clone() },
        Config { rows: 2, cols: 3, start_tiles: 1, ..config.clone() },
        Config { rows: 3, cols: 3, two: certain(0.0), ..config.clone() },
        Config { rows: 4, cols: 3, two: certain(1.0), start_tiles: 12, ..config.clone() },
        Config { rows: 2, cols: 5, two: certain(0.5), ..config.clone() },
        Config { blocked: vec![5, 10], ..config.clone() },
        Config { rows: 3, cols: 3, blocked: vec![4], ..config.clone() },
        Config { rows: 5, cols: 5, blocked: vec![0], ..config },
    ] {
        runner_laws::assert_holds(&Game1024::new(config).unwrap());
    }
}
