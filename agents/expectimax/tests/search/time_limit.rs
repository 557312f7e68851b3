//! Searches with a time limit.

use crate::{action_values, agent, close, game_2048, search, values_of};
use agent_expectimax::depth::DepthPolicy;
use agent_expectimax::scratch::Scratch;
use agent_expectimax::search::{NodePath, Search};
use agent_expectimax::{Expectimax, MAX_PLIES, SearchOptions};
use runner_core::{Afterstate, Agent, Game, Successors, Value, ValueScale};
use runner_laws::doubles::{Scattered, TestThreads, with_turn};
use runner_laws::positions_of_games as positions;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

fn within(time: Duration) -> SearchOptions {
    let depth = DepthPolicy::fixed(MAX_PLIES);
    SearchOptions { time: Some(time), depth, ..SearchOptions::plies(1) }
}

#[test]
fn a_time_limit_yields_the_values_of_the_depth_that_was_completed_or_the_next() {
    let game = game_2048("2048");
    let value = Scattered(ValueScale::Points);
    for threads in [1, 2] {
        let time = Duration::from_millis(20);
        let options = SearchOptions { threads, ..within(time) };
        let mut timed = Expectimax::with_options(value, options, Arc::new(TestThreads(threads)));
        for state in positions(&game, 10) {
            let start = Instant::now();
            let found = search(&game, &mut timed, state);
            // Without a limit the search would not end. Other programs may load the machine.
            assert!(start.elapsed() < 1500 * time, "{:?}", start.elapsed());
            assert!(found.plies >= 1);
            if found.plies <= 2 {
                let depths = [found.plies, found.plies + 1];
                let expected = depths.map(|plies| {
                    action_values(&game, &mut agent(value, SearchOptions::plies(plies)), state)
                });
                for (k, value) in values_of(&found).into_iter().enumerate() {
                    let is_of = |values: &Vec<f32>| close(&values[k..=k], &[value]);
                    assert!(expected.iter().any(is_of), "{} plies", found.plies);
                }
            }
        }
    }
}

/// A value that takes 5 ms and counts its calls.
#[derive(Clone, Default)]
struct Slow(Arc<AtomicU64>);

impl Slow {
    const CALL: Duration = Duration::from_millis(5);
}

impl Value for Slow {
    fn evaluate(&self, _: &[Afterstate], values: &mut [f32]) {
        std::thread::sleep(Self::CALL);
        self.0.fetch_add(1, Relaxed);
        values.fill(1.0);
    }
}

/// A sleep may take longer, never shorter, so this holds on any machine.
#[test]
fn a_slow_value_is_not_called_after_the_deadline() {
    let game = game_2048("2048");
    let state = game.parse("0,0,0,0/0,2,2,0/0,2,2,0/0,0,0,0").unwrap();
    let slow = Slow::default();
    let found = search(&game, &mut agent(slow.clone(), within(Slow::CALL * 5 / 2)), state);
    assert_eq!((found.plies, found.action_values.len()), (1, 4));
    // The third call can begin before the deadline, the fourth cannot.
    assert!(slow.0.load(Relaxed) <= 3, "{:?}", slow.0);
}

/// A value that aborts the search in its third call.
struct Aborting<'a> {
    aborted: &'a AtomicBool,
    calls: AtomicU64,
}

impl Value for Aborting<'_> {
    fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]) {
        Scattered(ValueScale::Points).evaluate(afterstates, values);
        self.aborted.store(self.calls.fetch_add(1, Relaxed) == 2, Relaxed);
    }
}

#[test]
fn an_aborted_search_returns_the_best_of_the_actions_that_it_searched() {
    let game = game_2048("2048");
    let max_outcomes = game.description().max_outcomes;
    let mut successors = Successors::new();
    for state in positions(&game, 30) {
        game.successors(state, &mut successors);
        if successors.len() < 3 {
            continue;
        }
        let complete = action_values(
            &game,
            &mut agent(Scattered(ValueScale::Points), SearchOptions::plies(2)),
            state,
        );
        let aborted = AtomicBool::new(false);
        let value = Aborting { aborted: &aborted, calls: AtomicU64::new(0) };
        let mut search = Search::new(&game, &value, &aborted);
        search.deadline = Instant::now().checked_add(Duration::from_secs(3600));
        let mut scratch = Scratch::default();
        scratch.prepare(2, max_outcomes);
        // The last action is searched first.
        let mut values: Vec<f32> = (0..successors.len()).map(|k| k as f32).collect();
        let best = search.search_root(&mut scratch, &successors, NodePath::of_root(2), &mut values);
        let last = successors.len() - 1;
        let expected = if complete[last - 1] > complete[last] { last - 1 } else { last };
        assert_eq!(best, Some(expected));
        assert!(close(&values[last - 1..], &complete[last - 1..]));
        assert!(values[..last - 1].iter().zip(0u8..).all(|(&value, k)| value == f32::from(k)));
        // It is aborted from the start now.
        aborted.store(true, Relaxed);
        assert_eq!(
            search.search_root(&mut scratch, &successors, NodePath::of_root(2), &mut values),
            None
        );
    }
}

/// A value that finds the best action of the first ply bad and the next one good, and takes the
/// time limit for the third.
#[derive(Clone, Default)]
struct Revising(Arc<AtomicU64>);

impl Revising {
    const LIMIT: Duration = Duration::from_secs(1);
}

impl Value for Revising {
    fn evaluate(&self, _: &[Afterstate], values: &mut [f32]) {
        match self.0.fetch_add(1, Relaxed) % 4 {
            0 => values.iter_mut().zip(10u8..).for_each(|(value, k)| *value = k.into()),
            1 => values.fill(0.0),
            2 => values.fill(1000.0),
            _ => std::thread::sleep(Self::LIMIT),
        }
    }
}

#[test]
fn analysis_chooses_the_move_that_is_played() {
    let game = game_2048("2048");
    let state = game.parse("0,0,0,0/0,2,2,0/0,2,2,0/0,0,0,0").unwrap();
    let mut agent = agent(Revising::default(), within(Revising::LIMIT));
    let (played, analysis) =
        with_turn(&game, state, 0, |turn| (agent.act(&game, turn), agent.analyse(&game, turn)));
    assert_eq!(analysis.choice, played);
    let best = analysis.action_values.iter().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
    assert_eq!(Some(best.0), played);
}

#[test]
fn the_best_action_of_the_last_depth_is_searched_first() {
    let game = game_2048("2048");
    let (value, aborted) = (Scattered(ValueScale::Points), AtomicBool::new(false));
    let mut search = Search::new(&game, &value, &aborted);
    let order =
        |search: &Search<'_, _, _>| search.search_order(&[3.0, 5.0, 5.0]).collect::<Vec<_>>();
    search.first = Some(2);
    assert_eq!(order(&search), [0, 1, 2], "nothing ends the search early");
    search.deadline = Instant::now().checked_add(Duration::from_secs(3600));
    assert_eq!(order(&search), [2, 1, 0]);
    search.first = Some(0);
    assert_eq!(order(&search), [0, 1, 2]);
    search.first = None;
    assert_eq!(order(&search), [1, 2, 0]);
}
