//! The laws that every game must satisfy, and tests of these rules.

use runner_core::{Action, Game, GamePlugin};
use __crate__::{Config, __Type__};

fn game(columns: u32, faces: u32) -> __Type__ {
    __Type__::alone(Config { columns, faces }).unwrap()
}

/// Checks many positions: chance events follow their distribution, texts are parsed back, and
/// so on.
#[test]
fn the_game_satisfies_the_laws() {
    runner_laws::assert_holds(&game(3, 6));
    runner_laws::assert_holds(&game(1, 2));
}

#[test]
fn a_die_covers_smaller_numbers_and_removes_equal_ones() {
    let game = game(3, 6);
    let state = game.parse("3,5,4 die=4").unwrap();
    let play = |column| {
        let found = game.successor(state, Action(column))?;
        Some((game.write_afterstate(found.afterstate), found.reward))
    };
    assert_eq!(play(0), Some(("4,5,4".into(), 0.0)));
    assert_eq!(play(1), None, "a 4 does not fit on a 5");
    assert_eq!(play(2), Some(("3,5,0".into(), 8.0)), "both fours count");
}

#[test]
fn a_game_without_an_end_is_refused() {
    // With a column for each face, no game would end.
    let refused = __Type__::alone(Config { columns: 6, faces: 6 }).err().unwrap();
    assert_eq!(refused.parameter.as_deref(), Some("faces"));
}
