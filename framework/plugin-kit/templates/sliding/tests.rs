//! One move of these rules, the laws that every game must satisfy, and a recorded game.

use runner_core::{Action, Game, GamePlugin};
use __crate__::edges::Edges;
use __crate__::{Config, __Type__};
use runner_sliding::Scattered;

fn game() -> Scattered<__Type__> {
    Scattered::alone(Config::default()).unwrap()
}

#[test]
fn the_game_satisfies_the_laws() {
    runner_laws::assert_holds(&game());
    runner_laws::assert_holds(&Edges::alone(Config::default()).unwrap());
}

// Change it with the rules.
#[test]
fn equal_tiles_merge_to_the_next() {
    let game = Scattered::<__Type__>::alone(Config { rows: 2, cols: 4, ..Config::default() });
    let game = game.unwrap();
    let state = game.parse("2,2,4,0/4,0,4,8").unwrap();
    let left = game.successor(state, Action(3)).unwrap();
    assert_eq!(game.write_afterstate(left.afterstate), "4,4,0,0/8,8,0,0");
    assert_eq!(left.reward, 12.0);
}

/// After a change of the rules that you want, run the test with `RUNNER_BLESS=1` in the
/// environment: it writes the new game into the file, and you read what has changed.
#[test]
fn the_recorded_game_is_played_again() {
    runner_laws::transcript::assert_matches("tests/transcripts", Scattered::<__Type__>::alone);
}
