//! The search compared with a plain recursion.

use super::*;
use game_2048::Game2048;
use runner_core::{Afterstate, Fact, Outcomes, State, Successor, ValueScale};
use runner_laws::doubles::{Scattered, with_turn};
use runner_laws::positions_of_games;

/// A value with few distinct numbers, so that bounds often equal the best value.
#[derive(Clone, Copy)]
struct Coarse;

impl Value for Coarse {
    fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]) {
        Scattered(self.scale()).evaluate(afterstates, values);
        values.iter_mut().for_each(|value| *value = value.floor() % 8.0);
    }

    fn scale(&self) -> ValueScale {
        ValueScale::Rating { min: -1.0, max: 8.0 }
    }
}

/// The value of an afterstate without pruning.
fn slow_value(game: &Game2048, value: &impl Value, from: Afterstate, plies: u8) -> f32 {
    if plies == 0 {
        let mut estimate = [0.0];
        value.evaluate(&[from], &mut estimate);
        return estimate[0];
    }
    let mut outcomes = Outcomes::with_capacity(game.description().max_outcomes);
    game.outcomes(from, &mut outcomes);
    let values = outcomes.iter().map(|outcome| {
        let values = slow_values(game, value, outcome.state, plies);
        let terminal = value.scale().terminal_value();
        values.into_iter().map(|(_, value)| value).reduce(f32::max).unwrap_or(terminal)
    });
    values.reduce(f32::min).unwrap()
}

/// The action values of a position at this depth without pruning.
fn slow_values(game: &Game2048, value: &impl Value, state: State, plies: u8) -> Vec<(Action, f32)> {
    let reward_weight = value.scale().reward_weight();
    let action_value = |s: &Successor| {
        (s.action, reward_weight * s.reward + slow_value(game, value, s.afterstate, plies - 1))
    };
    with_turn(game, state, 0, |turn| turn.successors.iter().map(action_value).collect())
}

fn positions(game: &Game2048, count: u64) -> impl Iterator<Item = State> {
    let is_over = |state: &State| with_turn(game, *state, 0, |turn| turn.successors.is_empty());
    positions_of_games(game, count).into_iter().filter(move |state| !is_over(state))
}

fn max(values: &[(Action, f32)]) -> f32 {
    values.iter().map(|&(_, value)| value).fold(f32::MIN, f32::max)
}

fn search<V: Value>(game: &Game2048, mut agent: Minimax<V>, state: State) -> MinimaxResult {
    with_turn(game, state, 0, |turn| agent.search(game, turn))
}

#[test]
fn pruning_keeps_the_best_value_and_bounds_the_others() {
    let game = Game2048::new(Default::default()).unwrap();
    let scales = [ValueScale::Points, ValueScale::Rating { min: -1.0, max: 5000.0 }];
    for (number, state) in positions(&game, 200).enumerate() {
        let (value, plies) = (Scattered(scales[number % 2]), 1 + (number / 2 % 3) as u8);
        let expected = slow_values(&game, &value, state, plies);
        let agent = Minimax::with_depth(value, plies, usize::MAX);
        let found = search(&game, agent, state);
        assert_eq!(max(&expected), max(&found.action_values), "{plies} plies");
        for (expected, found) in expected.iter().zip(&found.action_values) {
            assert!(expected.1 <= found.1, "{expected:?} {found:?}");
        }
    }
}

#[test]
fn the_chosen_action_has_the_best_true_value() {
    let game = Game2048::new(Default::default()).unwrap();
    for (number, state) in positions(&game, 400).enumerate() {
        let plies = 1 + (number % 3) as u8;
        let expected = slow_values(&game, &Coarse, state, plies);
        let agent = Minimax::with_depth(Coarse, plies, usize::MAX);
        let chosen = search(&game, agent, state).best.unwrap();
        let (_, value) = expected.iter().find(|(action, _)| *action == chosen).unwrap();
        assert_eq!(*value, max(&expected), "{}, {plies} plies", game.write(state));
    }
}

#[test]
fn fewer_replies_never_lower_the_best_value() {
    let game = Game2048::new(Default::default()).unwrap();
    let value = Scattered(ValueScale::Points);
    for state in positions(&game, 50) {
        let [one, four, all] = [1, 4, usize::MAX].map(|max_replies| {
            let agent = Minimax::with_depth(value, 3, max_replies);
            max(&search(&game, agent, state).action_values)
        });
        assert!(one >= four && four >= all);
    }
}

/// Each move of the line has the best true value of the remaining depth, and each tile leaves the
/// player the least.
#[test]
fn line_has_the_best_moves_and_the_worst_tiles() {
    let game = Game2048::new(Default::default()).unwrap();
    let (description, value) = (game.description(), Scattered(ValueScale::Points));
    let mut outcomes = Outcomes::with_capacity(description.max_outcomes);
    for start in positions(&game, 30) {
        let mut agent = Minimax::with_depth(value, 3, usize::MAX);
        let facts = with_turn(&game, start, 0, |turn| agent.analyse(&game, turn)).facts;
        let line = facts.into_iter().find(|(name, _)| name == "line");
        let Some((_, Fact::Text(line))) = line else { panic!("no line of {}", game.write(start)) };
        let steps: Vec<_> = line.split("; ").collect();
        let mut state = start;
        for (step, plies) in steps.iter().zip((1..=3).rev()) {
            let values = slow_values(&game, &value, state, plies);
            let is_made = |action: &Action| step.starts_with(&description.action_name(*action));
            let &(action, found) = values.iter().find(|(action, _)| is_made(action)).unwrap();
            assert_eq!(found, max(&values), "{line} of {}", game.write(start));
            let after = game.successor(state, action).unwrap().afterstate;
            if plies == 1 {
                assert_eq!(*step, description.step(action, None));
                break;
            }
            game.outcomes(after, &mut outcomes);
            let is_next = |state| *step == description.step(action, Some((after, state)));
            state = outcomes.iter().find(|outcome| is_next(outcome.state)).unwrap().state;
            let left = slow_values(&game, &value, state, plies - 1);
            let left = if left.is_empty() { 0.0 } else { max(&left) };
            assert_eq!(left, slow_value(&game, &value, after, plies - 1), "{line}");
        }
        let is_over = with_turn(&game, state, 0, |turn| turn.successors.is_empty());
        assert!(steps.len() == 3 || is_over, "{line} of {}", game.write(start));
    }
}
