//! A plain recursion without a table, without pruning and without batches.

use crate::{RATING, action_values, agent, close, game_2048, search};
use agent_expectimax::SearchOptions;
use game_1024::Game1024;
use game_2048::Game2048;
use game_threes::Threes;
use runner_core::{Afterstate, Game, Outcomes, State, Successors, Value, ValueScale};
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

fn agrees_with_the_recursion<G: Game>(game: &G, max_depth: u8, positions: &[State]) {
    for (k, &state) in positions.iter().enumerate() {
        let plies = 1 + k as u8 % max_depth;
        let scale = if k / 3 % 3 == 0 { RATING } else { ValueScale::Points };
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
fn action_values_of_sliding_games_are_those_of_the_recursion() {
    let spawn = "2048(rows: 4, cols: 3, spawn: [(2, 0.5), (8, 0.5)])";
    for (spec, depth) in [("2048", 3), ("2048(rows: 2, cols: 3)", 4), (spawn, 3)] {
        let game = game_2048(spec);
        agrees_with_the_recursion(&game, depth, &positions(&game, 300));
    }
    let game = Game1024::new(Default::default()).unwrap();
    agrees_with_the_recursion(&game, 3, &positions(&game, 300));
}

#[test]
fn action_values_of_threes_are_those_of_the_recursion() {
    let game = Threes::new(Default::default()).unwrap();
    agrees_with_the_recursion(&game, 2, &positions(&game, 200));
}

#[test]
fn large_tiles_and_few_moves_have_the_values_of_the_recursion() {
    let game = game_2048("2048");
    // Some moves make ranks beyond the tables, and some outcomes have no legal action.
    let texts = [
        "32768,32768,2,4/16,8,64,32/2,4,8,4/8,128,2,0",
        "32768,8,2,4/32768,4,64,32/2,8,4,8/4,128,2,0",
        "65536,8,2,4/32768,4,64,32/2,8,4,8/4,128,2,0",
        "2,4,8,16/4,8,16,32/8,16,32,64/16,32,64,0",
        "2,4,8,16/16,8,4,2/2,4,8,16/16,8,4,0",
    ];
    let states = texts.map(|text| game.parse(text).unwrap());
    // Each depth and scale.
    agrees_with_the_recursion(&game, 3, &states.repeat(9));
}

/// A value that is asked for positions of the game only, as that of a solved game is.
struct WithMoves<'a>(&'a Game2048);

impl Value for WithMoves<'_> {
    fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]) {
        for (value, &afterstate) in values.iter_mut().zip(afterstates) {
            let text = self.0.write_afterstate(afterstate);
            assert!(text.contains('0'), "no tile can enter {text}");
            *value = 1.0;
        }
    }
}

#[test]
fn only_positions_that_moves_reach_are_evaluated() {
    let game = game_2048("2048(rows: 2, cols: 2)");
    for text in ["2,4/8,0", "2,8/4,0", "4,2/0,2", "2,2/4,8"] {
        let state = game.parse(text).unwrap();
        for plies in 1..=4 {
            let options = SearchOptions::plies(plies);
            search(&game, &mut agent(WithMoves(&game), options), state);
        }
    }
}
