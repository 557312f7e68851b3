//! Compares a fast game with its reference on many positions.

use runner_core::{Action, Game, Outcomes, Random, Seed, State, Successors};

/// Compares two games on this many positions, half from random play and half synthetic. Moves
/// are compared on all of them, chance outcomes, whose lists are long, on every 32nd.
///
/// # Panics
///
/// If the games differ; the message gives the position and the difference.
pub fn compare<G: Game, R: Game>(
    game: &G,
    reference: &R,
    positions: usize,
    synthetic: impl Fn(&mut Random) -> State,
) {
    let mut random = Random::stream(Seed(2), positions as u64);
    let (mut fast, mut slow) = (Successors::new(), Successors::new());
    let mut outcomes = Outcomes::with_capacity(game.description().max_outcomes);
    let mut played = game.start(random.word());
    for k in 0..positions / 2 {
        for state in [synthetic(&mut random), played] {
            game.successors(state, &mut fast);
            reference.successors(state, &mut slow);
            assert_eq!(fast[..], slow[..], "the moves of `{}`", game.write(state));
            for action in (0..4).map(Action) {
                assert_eq!(game.successor(state, action).as_ref(), fast.of(action));
            }
            if k % 32 != 0 {
                continue;
            }
            runner_laws::agree_with(game, reference, [state]);
            for successor in fast.iter() {
                let drawn = game.spawn(successor.afterstate, random.word());
                game.outcomes(successor.afterstate, &mut outcomes);
                let listed = outcomes.iter().any(|outcome| outcome.state == drawn);
                assert!(listed, "`{}` is spawned but not listed", game.write(drawn));
            }
        }
        // `fast` holds the moves of the position from play.
        played = match fast.len() as u32 {
            0 => game.start(random.word()),
            n => game.spawn(fast[random.below(n) as usize].afterstate, random.word()),
        };
    }
}

/// Returns the number of positions to compare for each of `parts` configurations. The total is
/// the environment variable `RUNNER_POSITIONS`, or a million.
///
/// # Panics
///
/// If the variable is not a number.
pub fn positions(parts: usize) -> usize {
    let all = match std::env::var("RUNNER_POSITIONS") {
        Ok(text) => text.parse().expect("RUNNER_POSITIONS is a number"),
        Err(_) => 1_000_000,
    };
    usize::div_ceil(all, parts).next_multiple_of(2)
}

/// Defines a test for each number of rows, so that they run in parallel. `compare` is a function
/// of this number.
#[macro_export]
macro_rules! compare_rows {
    ($compare:ident) => {
        $crate::compare_rows! { $compare:
            two_rows_agree_with_the_reference: 2;
            three_rows_agree_with_the_reference: 3;
            four_rows_agree_with_the_reference: 4;
            five_rows_agree_with_the_reference: 5;
        }
    };
    ($compare:ident: $($name:ident: $rows:expr;)*) => {$(
        #[test]
        fn $name() {
            $compare($rows);
        }
    )*};
}
