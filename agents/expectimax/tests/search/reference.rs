//! A plain recursion without a table, without pruning and without batches.

use crate::{RATING, action_values, agent, close, game_2048};
use agent_expectimax::{ForwardPruning, MAX_PLIES, SearchOptions};
use game_threes::Threes;
use runner_core::{Afterstate, Game, Outcomes, State, Successors, Value, ValueScale};
use runner_laws::doubles::Scattered;
use runner_laws::positions_of_games as positions;

fn entered_rank(game: &impl Game, from: Afterstate, to: State) -> u8 {
    let board = game.description().geometry.as_ref().unwrap();
    let cell = |cell: &usize| board.rank(from.bits(), *cell) != board.rank(to.bits(), *cell);
    board.rank(to.bits(), (0..board.cells()).find(cell).unwrap())
}

/// The value of an afterstate at this depth, with rare tiles in the first `full_plies` plies.
fn slow_value<G: Game>(
    game: &G,
    value: &Scattered,
    from: Afterstate,
    plies: u8,
    full_plies: u8,
) -> f64 {
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
    let mut all: Vec<(f64, State)> = outcomes.iter().map(|o| (o.probability, o.state)).collect();
    if full_plies == 0 {
        let mut probabilities = [0.0; 32];
        for &(probability, state) in &all {
            probabilities[usize::from(entered_rank(game, from, state))] += probability;
        }
        let max = probabilities.into_iter().fold(0.0, f64::max);
        let of = |state| probabilities[usize::from(entered_rank(game, from, state))];
        all.retain(|&(_, state)| of(state) >= max / 2.0);
    }
    let total: f64 = all.iter().map(|&(p, _)| p).sum();
    let mean = all.iter().map(|&(p, state)| {
        let mut successors = Successors::new();
        game.successors(state, &mut successors);
        let chance_reward = reward_weight * f64::from(game.chance_reward(Some(from), state));
        let full_plies = full_plies.saturating_sub(1);
        let best = successors.iter().map(|s| {
            let rest = slow_value(game, value, s.afterstate, plies - 1, full_plies);
            reward_weight * f64::from(s.reward) + rest
        });
        p / total * (chance_reward + best.reduce(f64::max).unwrap_or(terminal))
    });
    mean.sum()
}

fn agrees_with_the_recursion<G: Game>(game: &G, max_depth: u8, count: u64) {
    for (k, &state) in positions(game, count).iter().enumerate() {
        let plies = 1 + k as u8 % max_depth;
        let scale = if k % 3 == 0 { RATING } else { ValueScale::Points };
        let full_plies = [MAX_PLIES, 1, 0, 2][k / 3 % 4];
        let forward_pruning = ForwardPruning { full_plies, ..ForwardPruning::default() };
        let options = SearchOptions { forward_pruning, ..SearchOptions::plies(plies) };
        let mut successors = Successors::new();
        game.successors(state, &mut successors);
        let reward_weight = scale.reward_weight();
        let slow = successors.iter().map(|s| {
            let rest = slow_value(game, &Scattered(scale), s.afterstate, plies - 1, full_plies);
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

/// In Threes, the next announcement is part of an outcome: it must not make a tile rare.
#[test]
fn action_values_of_threes_are_those_of_the_recursion() {
    agrees_with_the_recursion(&Threes::new(Default::default()).unwrap(), 2, 200);
}
