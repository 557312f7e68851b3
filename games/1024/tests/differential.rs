//! Compares the game with its slow reference on a million positions of all board sizes, half
//! from random play and half synthetic. `RUNNER_POSITIONS` in the environment sets another
//! number.

mod reference;

use game_1024::{Config, Game1024};
use game_reference::differential;
use reference::reference;

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
