//! Compares the game with its slow reference on a million positions of all board sizes and
//! with various parameters, half from random play and half synthetic. `RUNNER_POSITIONS` in
//! the environment sets another number.

mod reference;

use game_reference::differential;
use game_threes::{Config, Entry, Threes};
use reference::Reference;

fn compare(config: Config, parts: usize) {
    let fast = Threes::new(config.clone()).unwrap();
    let slow = Reference::of(&fast, &config);
    differential::compare(&fast, &slow, differential::positions(parts), |r| slow.synthetic(r));
}

fn compare_rows(rows: usize) {
    for cols in 2..=5 {
        let config = Config { rows, cols, ..Config::default() };
        // One in 20 positions announces a bonus by default; here one in 2.
        let bonus = Config { bonus_odds: 2, top: 12288, ..config.clone() };
        let course = Config { bag: 1, bonus: false, entry: Entry::FarEdge, ..config.clone() };
        compare(config, 32);
        compare(bonus, 64);
        compare(course, 64);
    }
}

game_reference::compare_rows!(compare_rows);
