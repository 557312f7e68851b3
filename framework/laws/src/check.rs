//! Checks a game against all laws, or against a reference implementation.

use crate::effort::{CheckSummary, Effort};
use crate::law::{Law, Violation, check_state};
use crate::positions::PositionSample;
use crate::{actions, chance, consistency, crowded, symmetry, text};
use runner_core::{Game, Random, State, Successors};

/// Checks all laws with the default effort.
///
/// # Panics
///
/// Panics if a law is broken; the message names the law, the position and the difference.
#[track_caller]
pub fn assert_holds<G: Game>(game: &G) {
    if let Err(violation) = check(game, &Effort::default()) {
        panic!("{violation}");
    }
}

/// Checks all laws. Returns what was tried, or the first violation. A panic of the game
/// is a violation.
pub fn check<G: Game>(game: &G, effort: &Effort) -> Result<CheckSummary, Violation> {
    let mut summary = CheckSummary { games: effort.games, ..CheckSummary::default() };
    consistency::check_description(game)?;
    symmetry::check_description(game)?;
    let sample = PositionSample::take(game, effort);
    summary.ended = sample.ended;
    summary.positions = sample.states.len() as u64;
    // A broken law can make play fail. The failure is reported only if the checks of the
    // positions before it do not find the cause.
    actions::check_lists(game, &sample, &mut summary)?;
    chance::check(game, effort, &sample, &mut summary)?;
    actions::check_changes(game, &sample)?;
    crowded::check(game, effort, &sample)?;
    symmetry::check(game, &sample, &mut summary)?;
    text::check(game, effort, &sample, &mut summary)?;
    sample.failure.clone().map_or(Ok(()), Err)?;
    actions::check_terminal(game, effort, &sample)?;
    consistency::check(game, effort, &sample)?;
    Ok(summary)
}

/// Checks laws 1 to 3 at some positions of a dozen games, in a few milliseconds: finds rules whose
/// results mean nothing before they are played. A panic that ends a game is not reported.
pub fn spot_check<G: Game>(game: &G) -> Result<(), Violation> {
    let effort = Effort { games: 12, moves: 60, positions: 96, words: 4_000, ..Effort::default() };
    let mut summary = CheckSummary::default();
    consistency::check_description(game)?;
    let sample = PositionSample::take(game, &effort);
    actions::check_lists(game, &sample, &mut summary)?;
    chance::check(game, &effort, &sample, &mut summary)
}

/// Returns one position of each of `count` random games, after 0 to 119 moves.
pub fn positions_of_games<G: Game>(game: &G, count: u64) -> Vec<State> {
    let mut successors = Successors::new();
    let positions = (0..count).map(|k| {
        let mut random = Random::from_word(k);
        let mut state = game.start(random.word());
        for _ in 0..random.below(120) {
            game.successors(state, &mut successors);
            if successors.is_empty() {
                break;
            }
            let chosen = successors[random.below(successors.len() as u32) as usize];
            state = game.spawn(chosen.afterstate, random.word());
        }
        state
    });
    positions.collect()
}

/// Checks that a game agrees with a reference implementation at these positions: in
/// successors, rewards, outcomes and chance rewards.
///
/// # Panics
///
/// Panics if they differ; the message names the position and the difference.
#[track_caller]
pub fn agree_with<G: Game, R: Game>(
    game: &G,
    reference: &R,
    positions: impl IntoIterator<Item = State>,
) {
    for state in positions {
        let same = check_state(Law::Successors, game, state, || {
            actions::same_successors(game, reference, state)
        })
        .and_then(|afterstates| {
            check_state(Law::Outcomes, game, state, || {
                chance::same_outcomes(game, reference, &afterstates)
            })
        });
        if let Err(violation) = same {
            panic!("{violation}");
        }
    }
}
