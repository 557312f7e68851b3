//! The search, held against the plainest recursion.

use super::*;
use game_2048::Game2048;
use runner_core::{Afterstate, Outcomes, Successors, ValueScale};
use runner_laws::workload::positions_of_games;

/// A value without a pattern.
#[derive(Clone, Copy)]
struct Scattered(ValueScale);

impl Value for Scattered {
    fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]) {
        for (value, afterstate) in values.iter_mut().zip(afterstates) {
            let mixed = (afterstate.lo ^ afterstate.hi).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            *value = (mixed >> 52) as f32;
        }
    }

    fn scale(&self) -> ValueScale {
        self.0
    }
}

/// The worth of an afterstate, without any pruning.
fn slow(game: &Game2048, value: &Scattered, from: Afterstate, plies: u8) -> f32 {
    if plies == 0 {
        let mut worth = [0.0];
        value.evaluate(&[from], &mut worth);
        return worth[0];
    }
    let mut outcomes = Outcomes::with_capacity(game.description().max_outcomes);
    game.outcomes(from, &mut outcomes);
    let worths = outcomes.iter().map(|outcome| {
        let mut successors = Successors::new();
        game.successors(outcome.state, &mut successors);
        let worths = successors.iter().map(|s| {
            value.scale().reward_weight() * s.reward + slow(game, value, s.afterstate, plies - 1)
        });
        worths.reduce(f32::max).unwrap_or(value.scale().terminal_value())
    });
    worths.reduce(f32::min).unwrap()
}

#[test]
fn pruning_changes_neither_the_best_worth_nor_the_choice() {
    let game = Game2048::new(Default::default()).unwrap();
    let scales = [ValueScale::Points, ValueScale::Rating { min: -1.0, max: 5000.0 }];
    for (number, state) in positions_of_games(&game, 200).into_iter().enumerate() {
        let (value, plies) = (Scattered(scales[number % 2]), 1 + (number / 2 % 3) as u8);
        let mut successors = Successors::new();
        game.successors(state, &mut successors);
        if successors.is_empty() {
            continue;
        }
        let turn = Turn { state, successors: &successors, random: 0 };
        let expected: Vec<_> = successors
            .iter()
            .map(|s| {
                let rest = slow(&game, &value, s.afterstate, plies - 1);
                (s.action, value.scale().reward_weight() * s.reward + rest)
            })
            .collect();
        let mut player = Minimax::over(value, plies, usize::MAX);
        let found = player.worths(&game, &turn);
        let of_best = |worths: &[(Action, f32)]| {
            let action = best_action(worths.iter().copied()).unwrap();
            *worths.iter().find(|worth| worth.0 == action).unwrap()
        };
        assert_eq!(of_best(&expected).1, of_best(&found).1, "{plies} plies");
        for (expected, found) in expected.iter().zip(&found) {
            assert!(expected.1 <= found.1, "{expected:?} {found:?}");
        }
    }
}

#[test]
fn with_fewer_answers_the_worst_looking_are_looked_into() {
    let game = Game2048::new(Default::default()).unwrap();
    let value = Scattered(ValueScale::Points);
    for state in positions_of_games(&game, 50) {
        let mut successors = Successors::new();
        game.successors(state, &mut successors);
        let turn = Turn { state, successors: &successors, random: 0 };
        if successors.is_empty() {
            continue;
        }
        let worst = |most: usize| {
            let worths = Minimax::over(value, 3, most).worths(&game, &turn);
            worths.into_iter().map(|(_, worth)| worth).fold(f32::NEG_INFINITY, f32::max)
        };
        assert!(worst(1) >= worst(4) && worst(4) >= worst(usize::MAX));
    }
}
