//! What does not change the action values: the table and threads; and what does, forward
//! pruning.

use crate::{RATING, action_values, agent, close, game_2048, search};
use agent_expectimax::{Expectimax, SearchOptions};
use game_threes::Threes;
use runner_core::{Agent, Fact, Game, Outcomes, ValueScale};
use runner_laws::doubles::{Scattered, TestThreads, with_turn};
use runner_laws::positions_of_games as positions;
use std::sync::Arc;

const SCATTERED: Scattered = Scattered(ValueScale::Points);

#[test]
fn the_table_and_threads_change_no_value() {
    let game = game_2048("2048");
    for plies in 1..=3 {
        let options = SearchOptions::plies(plies);
        let mut plain = agent(SCATTERED, SearchOptions { table_bytes: None, ..options.clone() });
        // One agent searches all positions, so that its table is full of the others.
        let mut others = [
            SearchOptions { table_bytes: Some(1 << 12), ..options.clone() },
            SearchOptions { threads: 3, ..options.clone() },
            options,
        ]
        .map(|options| agent(SCATTERED, options));
        for state in positions(&game, 300) {
            let expected = action_values(&game, &mut plain, state);
            for other in &mut others {
                let found = action_values(&game, other, state);
                assert!(close(&expected, &found), "{}", game.write(state));
            }
        }
    }
}

fn two_threads_find_the_values_of_one<G: Game>(game: &G, scale: ValueScale) {
    for state in positions(game, 60) {
        let [one, two] = [1, 2].map(|threads| {
            let options = SearchOptions { threads, ..SearchOptions::plies(3) };
            let host = Arc::new(TestThreads(threads));
            let mut agent = Expectimax::with_options(Scattered(scale), options, host);
            action_values(game, &mut agent, state)
        });
        assert_eq!(one, two, "{}", game.write(state));
    }
}

#[test]
fn two_threads_find_to_the_last_bit_what_one_finds() {
    let game = game_2048("2048");
    two_threads_find_the_values_of_one(&game, ValueScale::Points);
    two_threads_find_the_values_of_one(&game, RATING);
    // Its chance outcomes have rewards.
    let game = Threes::new(Default::default()).unwrap();
    two_threads_find_the_values_of_one(&game, ValueScale::Points);
}

/// With a table, entries depend on the path, and moves on which thread stores first. That is
/// documented; without a table the values do not depend on the threads.
#[test]
fn without_a_table_unlikely_positions_are_the_same_to_all_threads() {
    let game = game_2048("2048");
    let plain = SearchOptions::plies(4);
    let options = SearchOptions { min_probability: 0.01, table_bytes: None, ..plain };
    assert!(!options.has_path_dependent_entries());
    let with_table = SearchOptions { table_bytes: Some(1 << 16), ..options.clone() };
    assert!(with_table.has_path_dependent_entries());
    let two = SearchOptions { threads: 2, ..options.clone() };
    let mut two = Expectimax::with_options(SCATTERED, two, Arc::new(TestThreads(2)));
    let mut one = agent(SCATTERED, options);
    for state in positions(&game, 30) {
        let found = action_values(&game, &mut two, state);
        assert!(close(&action_values(&game, &mut one, state), &found), "{}", game.write(state));
        assert_eq!(found, action_values(&game, &mut two, state), "{}", game.write(state));
    }
}

#[test]
fn unlikely_positions_are_evaluated_statically() {
    let game = game_2048("2048");
    let state = game.parse("2,4,8,16/0,2,0,0/0,0,0,0/0,0,0,0").unwrap();
    let [all, some, few] = [0.0, 0.02, 0.5].map(|min_probability| {
        let options = SearchOptions { min_probability, ..SearchOptions::plies(3) };
        search(&game, &mut agent(SCATTERED, options), state).stats.leaves
    });
    assert!(few * 10 < some && some * 3 < all * 2, "{few} {some} {all}");
}

/// Each move of the line is that of a search of the remaining depth, after the likeliest tile.
#[test]
fn line_follows_the_choices_of_shallower_searches() {
    let game = game_2048("2048");
    let board = game.description().geometry.clone().unwrap();
    let mut outcomes = Outcomes::with_capacity(game.description().max_outcomes);
    let is_over = |state| with_turn(&game, state, 0, |turn| turn.successors.is_empty());
    for start in positions(&game, 30).into_iter().filter(|&state| !is_over(state)) {
        let mut player = agent(SCATTERED, SearchOptions::plies(4));
        let facts = with_turn(&game, start, 0, |turn| player.analyse(&game, turn)).facts;
        let line = facts.into_iter().find(|(name, _)| name == "line");
        let Some((_, Fact::Text(line))) = line else { panic!("no line of {}", game.write(start)) };
        let steps: Vec<_> = line.split("; ").collect();
        let mut state = start;
        for (step, plies) in steps.iter().zip((1..=4).rev()) {
            let options = SearchOptions { table_bytes: None, ..SearchOptions::plies(plies) };
            let best = search(&game, &mut agent(SCATTERED, options), state).best.unwrap();
            let made = game.successor(state, best).unwrap();
            let name = game.description().action_name(best);
            if plies == 1 {
                assert_eq!(*step, name);
                break;
            }
            game.outcomes(made.afterstate, &mut outcomes);
            let most = outcomes.iter().map(|outcome| outcome.probability).fold(0.0, f64::max);
            let likeliest = outcomes.iter().find(|outcome| outcome.probability == most).unwrap();
            state = likeliest.state;
            let mut cells = (0..board.cells()).filter(|&cell| {
                board.rank(made.afterstate.bits(), cell) != board.rank(state.bits(), cell)
            });
            let cell = cells.next().unwrap();
            let expected = format!("{name} 2@{},{}", cell / 4 + 1, cell % 4 + 1);
            assert_eq!(*step, expected, "{line} of {}", game.write(start));
        }
        assert!(steps.len() == 4 || is_over(state));
    }
}
