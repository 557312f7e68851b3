//! The fast rules against the slow reference, on a million positions of all
//! sizes: from random play, and made up of all tiles. `RUNNER_POSITIONS` in
//! the environment is another number.

mod reference;

use game_1024::{Config, Game1024};
use game_reference::differential;
use reference::reference;

fn compare(rows: usize) {
    for cols in 2..=5 {
        // Every other board has a stone.
        let blocked = if cols % 2 == 0 { vec![] } else { vec![rows + cols] };
        let blocked = blocked.into_iter().filter(|&cell| cell < rows * cols).collect();
        let config = Config { rows, cols, blocked, ..Config::default() };
        let fast = Game1024::new(config.clone()).unwrap();
        let slow = reference(&fast, &config);
        differential::compare(&fast, &slow, differential::positions(16), |r| slow.made_up(r));
    }
}

/// One test for each number of rows, to run at the same time.
macro_rules! compare {
    ($($name:ident: $rows:expr;)*) => {$(
        #[test]
        fn $name() {
            compare($rows);
        }
    )*};
}

compare! {
    two_rows_as_the_reference: 2;
    three_rows_as_the_reference: 3;
    four_rows_as_the_reference: 4;
    five_rows_as_the_reference: 5;
}
