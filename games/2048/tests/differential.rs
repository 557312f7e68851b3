//! Compares the game with its slow reference on a million positions of all board sizes, half
//! from random play and half synthetic. `RUNNER_POSITIONS` in the environment sets another
//! number.

mod reference;

use game_2048::{Config, Game2048};
use game_reference::differential;
use reference::reference;

fn compare(rows: usize) {
    for cols in 2..=5 {
        let config = Config { rows, cols, ..Config::default() };
        let fast = Game2048::new(config.clone()).unwrap();
        let slow = reference(&fast, &config);
        differential::compare(&fast, &slow, differential::positions(16), |r| slow.synthetic(r));
    }
}

game_reference::compare_rows!(compare);
