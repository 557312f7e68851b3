//! The fast rules against the slow reference, on a million positions of all
//! sizes: from random play, and made up of tiles to 131072. `RUNNER_POSITIONS` in
//! the environment is another number.

mod reference;

use game_2048::{Config, Game2048};
use game_reference::differential;
use reference::reference;

fn compare(rows: usize) {
    for cols in 2..=5 {
        let config = Config { rows, cols, ..Config::default() };
        let fast = Game2048::new(config.clone()).unwrap();
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
