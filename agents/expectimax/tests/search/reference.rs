//! A plain recursion without a table, without pruning and without batches.

use crate::{RATING, action_values, agent, close, game_2048};
use agent_expectimax::SearchOptions;
use game_threes::Threes;
use runner_core::{Afterstate, Game, Outcomes, Successors, Value, ValueScale};
use runner_laws::doubles::Scattered;
use runner_laws::positions_of_games as positions;

/// The value of an afterstate at this depth.
fn slow_value<G: Game>(game: &G, value: &Scattered, from: Afterstate, plies: u8) -> f64 {
    if plies == 0 {
        let mut estimate = [0.0];
        value.evaluate(&[from], &mut estimate);
        return f64::from(estimate[0]);
    }
    let (reward_weight, terminal) = match value.0 {
        ValueScale::Points => (1.0, 0.0),
        ValueScale::Rating { min, .. } => (0.0, f64::from(min)),
    };
    let mut outcomes = Outcomes::with_capacity(game.description().max_outcomes);
    game.outcomes(from, &mut outcomes);
    let mean = outcomes.iter().map(|outcome| {
        let mut successors = Successors::new();
        game.successors(outcome.state, &mut successors);
        let chance_reward = game.chance_reward(Some(from), outcome.state);
        let best = successors.iter().map(|s| {
            let rest = slow_value(game, value, s.afterstate, plies - 1);
            reward_weight * f64::from(s.reward) + rest
        });
        let best = best.reduce(f64::max).unwrap_or(terminal);
        outcome.probability * (reward_weight * f64::from(chance_reward) + best)
    });
    mean.sum()
}

fn agrees_with_the_recursion<G: Game>(game: &G, max_depth: u8, count: u64) {
    for (k, &state) in positions(game, count).iter().enumerate() {
        let plies = 1 + k as u8 % max_depth;
        let scale = if k % 3 == 0 { RATING } else { ValueScale::Points };
        let options = SearchOptions::plies(plies);
        let mut successors = Successors::new();
        game.successors(state, &mut successors);
        let reward_weight = scale.reward_weight();
        let slow = successors.iter().map(|s| {
            let rest = slow_value(game, &Scattered(scale), s.afterstate, plies - 1);
            (f64::from(reward_weight * s.reward) + rest) as f32
        });
        let expected: Vec<f32> = slow.collect();
        let found = action_values(game, &mut agent(Scattered(scale), options), state);
        assert!(close(&expected, &found), "{}: {expected:?} {found:?}", game.write(state));
    }
}

#[test]
fn action_values_of_2048_are_those_of_the_recursion() {
    agrees_with_the_recursion(&game_2048("2048"), 3, 300);
    agrees_with_the_recursion(&game_2048("2048(rows: 2, cols: 3)"), 4, 300);
}

#[test]
fn action_values_of_threes_are_those_of_the_recursion() {
    agrees_with_the_recursion(&Threes::new(Default::default()).unwrap(), 2, 200);
}
