//! The order in which a search with a time limit tries the actions.

use crate::{RATING, agent, game_2048, search, values_of};
use agent_expectimax::{Expectimax, SearchOptions};
use runner_core::{Afterstate, Game, Outcomes, Successors, Value, ValueScale};
use runner_laws::doubles::{Scattered, TestThreads, with_turn};
use runner_laws::positions_of_games as positions;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// More than any search here takes.
const HOUR: Option<Duration> = Some(Duration::from_secs(3600));

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
        let options = SearchOptions { time: HOUR, threads, ..SearchOptions::plies(3) };
        let host = Arc::new(TestThreads(threads));
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
        let options = SearchOptions { time: HOUR, ..SearchOptions::plies(2) };
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
