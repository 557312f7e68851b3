//! Pruning with value bounds.

use crate::{RATING, agent, close, game_2048, max, search, values_of};
use agent_expectimax::{Expectimax, SearchOptions};
use runner_core::{Afterstate, Game, Outcomes, Successors, Value, ValueScale};
use runner_laws::doubles::{Scattered, Threads, with_turn};
use runner_laws::positions_of_games as positions;
use std::sync::{Arc, Mutex};

#[test]
fn pruning_keeps_the_best_value_and_bounds_the_others() {
    let game = game_2048("2048");
    // Tight and loose upper bounds of the values.
    for bound in [4096.0, 5000.0, 1e6] {
        let value = Scattered(ValueScale::Rating { min: -5.0, max: bound });
        let mut cutoffs = 0;
        for (k, state) in positions(&game, 200).into_iter().enumerate() {
            let min_probability = [0.0, 0.03][k % 2];
            let table_bytes = [None, Some(1 << 16)][k / 2 % 2];
            let plies = 2 + (k / 4 % 2) as u8;
            let [plain, pruned] = [false, true].map(|prune| {
                let options = SearchOptions {
                    min_probability,
                    table_bytes,
                    prune,
                    ..SearchOptions::plies(plies)
                };
                search(&game, &mut agent(value, options), state)
            });
            assert_eq!(plain.best, pruned.best, "{}", game.write(state));
            assert_eq!(max(&values_of(&plain)), max(&values_of(&pruned)));
            for (plain, pruned) in plain.action_values.iter().zip(&pruned.action_values) {
                assert!(plain.1 <= pruned.1 + 0.01, "{plain:?} {pruned:?}");
            }
            cutoffs += pruned.stats.cutoffs;
        }
        assert!(cutoffs > 0, "nothing is cut below {bound}");
    }
}

/// A value with few distinct numbers, so that bounds often equal the best value.
#[derive(Clone, Copy)]
struct Coarse;

impl Value for Coarse {
    fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]) {
        Scattered(self.scale()).evaluate(afterstates, values);
        values.iter_mut().for_each(|value| *value = (*value / 512.0).floor() / 8.0);
    }

    fn scale(&self) -> ValueScale {
        ValueScale::Rating { min: 0.0, max: 1.0 }
    }
}

#[test]
fn pruning_chooses_an_action_with_the_best_true_value() {
    let games = ["2048(rows: 2, cols: 2)", "2048(rows: 2, cols: 3, four: 0.5)"];
    for game in games.map(game_2048) {
        for (k, state) in positions(&game, 2000).into_iter().enumerate() {
            let [plain, pruned] = [false, true].map(|prune| {
                let options = SearchOptions {
                    table_bytes: (k % 2 == 0).then_some(1 << 16),
                    threads: 1 + k / 2 % 2,
                    prune,
                    ..SearchOptions::plies(2 + (k % 4) as u8)
                };
                search(&game, &mut agent(Coarse, options), state)
            });
            let Some(chosen) = pruned.best else { continue };
            let (_, true_value) =
                plain.action_values.iter().find(|(action, _)| *action == chosen).unwrap();
            let best = max(&values_of(&plain));
            assert!(close(&[best], &[*true_value]), "{}", game.write(state));
        }
    }
}

#[derive(Clone, Copy)]
struct Prefers(Afterstate);

impl Value for Prefers {
    fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]) {
        for (value, afterstate) in values.iter_mut().zip(afterstates) {
            *value = if *afterstate == self.0 { 1.0 } else { 0.5 };
        }
    }

    fn scale(&self) -> ValueScale {
        ValueScale::Rating { min: 0.0, max: 1.0 }
    }
}

#[test]
fn first_searched_of_equal_actions_is_chosen_by_any_number_of_threads() {
    let game = game_2048("2048");
    let state = game.parse("2,0,0,0/0,0,0,0/0,0,4,0/0,0,0,0").unwrap();
    let last = with_turn(&game, state, 0, |turn| turn.successors[turn.successors.len() - 1]);
    for threads in [1, 2] {
        let options = SearchOptions { prune: true, threads, ..SearchOptions::plies(3) };
        let host = Arc::new(Threads(threads));
        let mut agent = Expectimax::with_options(Prefers(last.afterstate), options, host);
        let found = search(&game, &mut agent, state);
        assert_eq!(values_of(&found), [0.5; 4]);
        assert_eq!(found.best, Some(last.action), "{threads} threads");
    }
}

#[derive(Clone, Default)]
struct Recording(Arc<Mutex<Vec<Vec<Afterstate>>>>);

impl Value for Recording {
    fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]) {
        self.0.lock().unwrap().push(afterstates.to_vec());
        Scattered(RATING).evaluate(afterstates, values);
    }

    fn scale(&self) -> ValueScale {
        RATING
    }
}

#[test]
fn the_action_with_the_best_static_value_is_searched_first() {
    let game = game_2048("2048");
    let (mut all, mut next) = (Successors::new(), Successors::new());
    let mut outcomes = Outcomes::with_capacity(30);
    for state in positions(&game, 50) {
        game.successors(state, &mut all);
        if all.is_empty() {
            continue;
        }
        let recording = Recording::default();
        let options = SearchOptions { prune: true, ..SearchOptions::plies(2) };
        search(&game, &mut agent(recording.clone(), options), state);
        let calls = recording.0.lock().unwrap();
        let mut estimates = vec![0.0; all.len()];
        Scattered(RATING).evaluate(&calls[0], &mut estimates);
        let best = (0..all.len()).max_by(|&a, &b| estimates[a].total_cmp(&estimates[b])).unwrap();
        let mut below = Vec::new();
        game.outcomes(all[best].afterstate, &mut outcomes);
        for outcome in outcomes.iter() {
            game.successors(outcome.state, &mut next);
            below.extend(next.iter().map(|s| s.afterstate));
        }
        assert!(calls[1].iter().all(|leaf| below.contains(leaf)), "{}", game.write(state));
    }
}

/// The entry of a node that was cut off is a bound. Used as a value, it would show at another
/// position, where alpha is higher.
#[test]
fn bounds_in_the_table_are_not_taken_for_values() {
    let game = game_2048("2048(rows: 2, cols: 3)");
    for bound in [4096.0, 5000.0] {
        let value = Scattered(ValueScale::Rating { min: -5.0, max: bound });
        let options = SearchOptions::plies(5);
        let mut plain = agent(value, SearchOptions { table_bytes: None, ..options.clone() });
        let mut pruned = agent(value, SearchOptions { prune: true, ..options });
        let (mut cutoffs, mut hits) = (0, 0);
        for state in positions(&game, 200) {
            let [plain, pruned] =
                [&mut plain, &mut pruned].map(|agent| search(&game, agent, state));
            assert_eq!(plain.best, pruned.best, "{}", game.write(state));
            assert_eq!(max(&values_of(&plain)), max(&values_of(&pruned)));
            (cutoffs, hits) = (cutoffs + pruned.stats.cutoffs, hits + pruned.stats.hits);
        }
        assert!(cutoffs > 0 && hits > 0, "{cutoffs} {hits}");
    }
}
