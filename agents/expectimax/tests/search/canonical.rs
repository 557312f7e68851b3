//! One table entry for all symmetric images of a position.

use crate::{action_values, agent, close, game_2048, search, values_of};
use agent_expectimax::{Expectimax, SearchOptions};
use runner_core::{Afterstate, Game, Random, Seed, Value, play};
use runner_laws::doubles::Threads;
use runner_laws::positions_of_games as positions;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The sum of a value for each line of the board, in either direction. As in a network of
/// n-tuples, the terms are the same for all symmetric images of a position and their order is
/// not, so that the values differ in the last bits.
#[derive(Clone, Copy)]
struct SumOfLines;

impl Value for SumOfLines {
    fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]) {
        let forth = (0..4).flat_map(|line| {
            let [row, column] =
                [[0, 1, 2, 3].map(|k| 4 * line + k), [0, 1, 2, 3].map(|k| line + 4 * k)];
            [row, column]
        });
        let lines: Vec<[u32; 4]> =
            forth.flat_map(|[a, b, c, d]| [[a, b, c, d], [d, c, b, a]]).collect();
        for (value, afterstate) in values.iter_mut().zip(afterstates) {
            let of_line = |cells: &[u32; 4]| {
                let ranks = cells.iter().map(|cell| afterstate.lo >> (4 * cell) & 15);
                let content = ranks.fold(0, |content, rank| content << 4 | rank);
                Random::from_word(content).below(1000) as f32 / 7.0
            };
            *value = lines.iter().map(of_line).sum();
        }
    }
}

fn canonical() -> SearchOptions {
    SearchOptions { canonical: true, ..SearchOptions::plies(3) }
}

fn with_threads(threads: usize) -> Expectimax<SumOfLines> {
    let options = SearchOptions { threads, ..canonical() };
    Expectimax::with_options(SumOfLines, options, Arc::new(Threads(threads)))
}

#[test]
fn images_of_a_position_have_different_last_bits() {
    let game = game_2048("2048");
    let differ = positions(&game, 50).into_iter().any(|state| {
        let image = game.canonical(state);
        let [mut one, mut other] = [[0.0], [0.0]];
        SumOfLines.evaluate(&[Afterstate::from_bits(state.bits())], &mut one);
        SumOfLines.evaluate(&[Afterstate::from_bits(image.bits())], &mut other);
        assert!(close(&one, &other));
        one != other
    });
    assert!(differ);
}

#[test]
fn entries_save_leaves_and_change_values_by_rounding_only() {
    let game = game_2048("2048");
    let state = game.parse("0,0,0,0/0,2,2,0/0,2,2,0/0,0,0,0").unwrap();
    let [plain, canonical] = [false, true].map(|canonical| {
        let options = SearchOptions { canonical, ..SearchOptions::plies(3) };
        search(&game, &mut agent(SumOfLines, options), state)
    });
    assert!(canonical.stats.leaves * 3 < plain.stats.leaves, "{canonical:?} {plain:?}");
    assert!(close(&values_of(&plain), &values_of(&canonical)));
}

#[test]
fn values_depend_on_neither_earlier_searches_nor_the_number_of_threads() {
    let game = game_2048("2048");
    let (mut one, mut three) = (with_threads(1), with_threads(3));
    for state in positions(&game, 200) {
        let expected = action_values(&game, &mut with_threads(1), state);
        assert_eq!(action_values(&game, &mut one, state), expected, "{}", game.write(state));
        assert_eq!(action_values(&game, &mut three, state), expected, "{}", game.write(state));
    }
}

#[test]
fn games_depend_on_neither_earlier_games_nor_the_number_of_threads() {
    let game = game_2048("2048(rows: 3, cols: 3)");
    let one_game = |agent: &mut Expectimax<SumOfLines>, number| {
        play(&game, agent, &mut Random::stream(Seed(1), number), &AtomicBool::new(false))
    };
    let (mut one, mut three) = (with_threads(1), with_threads(3));
    for number in 0..5 {
        let expected = one_game(&mut with_threads(1), number);
        assert!(expected.finished);
        assert_eq!(one_game(&mut one, number), expected, "game {number}");
        assert_eq!(one_game(&mut three, number), expected, "game {number}");
    }
}
