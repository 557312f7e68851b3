//! The rules: against a slow reference, recorded games and the laws that every game satisfies.

use game_2048::{Config, Game2048};
use game_reference::{Scattered, differential};
use runner_core::Probability;

fn reference(game: &Game2048, config: &Config) -> Scattered {
    let four = config.four.get();
    let entries: Vec<_> = match &config.spawn[..] {
        [] => vec![(2, 1.0 - four), (4, four)],
        list => list.iter().map(|(tile, share)| (*tile, share.get())).collect(),
    };
    let cap = config.cap;
    let merge = move |a, b| (a == b && a < cap).then_some(2 * a);
    Scattered { blocked: config.walls.clone(), ..Scattered::of(game, merge, &entries) }
}

fn spawn(tiles: &[(u64, f64)]) -> Vec<(u64, Probability)> {
    tiles.iter().map(|&(tile, share)| (tile, Probability::new(share).unwrap())).collect()
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

#[test]
fn variants_agree_with_the_reference() {
    let eights = spawn(&[(2, 0.8), (4, 0.15), (8, 0.05)]);
    let large = spawn(&[(16_384, 0.25), (2, 0.75)]);
    for (rows, cols) in [(2, 3), (3, 3), (4, 4), (4, 5)] {
        let plain = Config { rows, cols, ..Config::default() };
        for config in [
            Config { spawn: eights.clone(), ..plain.clone() },
            Config { spawn: large.clone(), walls: vec![1], ..plain.clone() },
            Config { cap: 2048, ..plain.clone() },
            Config { cap: 8, goal: 8, spawn: eights.clone(), ..plain.clone() },
            Config { cap: 65_536, walls: vec![5, 0], ..plain.clone() },
            Config { cap: 32, goal: 16, walls: vec![4], spawn: eights.clone(), ..plain },
        ] {
            let fast = Game2048::new(config.clone()).unwrap();
            let slow = reference(&fast, &config);
            differential::compare(&fast, &slow, differential::positions(256), |r| {
                slow.synthetic(r)
            });
        }
    }
}

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
        Config { rows: 5, cols: 5, ..config.clone() },
        Config { spawn: spawn(&[(2, 0.8), (4, 0.15), (8, 0.05)]), ..config.clone() },
        Config { rows: 3, spawn: spawn(&[(32_768, 0.5), (2, 0.5)]), ..config.clone() },
        Config { cap: 2048, ..config.clone() },
        Config { rows: 2, cols: 3, cap: 8, goal: 8, ..config.clone() },
        Config { walls: vec![5, 10], ..config.clone() },
        Config { rows: 5, cols: 5, walls: vec![0], cap: 32_768, ..config },
    ] {
        runner_laws::assert_holds(&Game2048::new(config).unwrap());
    }
}
