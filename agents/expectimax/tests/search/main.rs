//! The search compared with slow references, on games of several kinds.

mod last_ply;
mod pruning;
mod reference;
mod time_limit;
mod values;

use agent_expectimax::{Expectimax, SearchOptions, SearchResult};
use game_2048::Game2048;
use runner_core::{
    Afterstate, Game, Host, SingleThread, Spec, State, Successors, Turn, Value, ValueScale,
};
use std::sync::Arc;

/// A value that looks random, so that errors do not cancel out.
#[derive(Clone, Copy)]
struct Scattered(ValueScale);

impl Value for Scattered {
    fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]) {
        for (value, afterstate) in values.iter_mut().zip(afterstates) {
            let mixed =
                (afterstate.lo ^ afterstate.hi.rotate_left(7)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            *value = (mixed >> 48) as f32 / 16.0;
        }
    }

    fn scale(&self) -> ValueScale {
        self.0
    }
}

const RATING: ValueScale = ValueScale::Rating { min: -5.0, max: 5000.0 };

/// A host with two threads.
struct TwoThreads;

impl Host for TwoThreads {
    fn threads(&self) -> usize {
        2
    }

    fn for_each(&self, n: usize, task: &(dyn Fn(usize) + Sync)) {
        std::thread::scope(|scope| (0..n).for_each(|k| drop(scope.spawn(move || task(k)))));
    }

    fn value(&self, spec: &Spec) -> Result<Arc<dyn Value>, runner_core::BuildError> {
        SingleThread.value(spec)
    }
}

/// The game of a spec of 2048.
fn game_2048(spec: &str) -> Game2048 {
    let spec: Spec = spec.parse().unwrap();
    Game2048::new(spec.read().unwrap()).unwrap()
}

fn agent<V: Value>(value: V, options: SearchOptions) -> Expectimax<V> {
    Expectimax::with_options(value, options, Arc::new(SingleThread))
}

/// Searches a position, which may be one without a legal action.
fn search<G: Game, V: Value>(game: &G, agent: &mut Expectimax<V>, state: State) -> SearchResult {
    let mut successors = Successors::new();
    game.successors(state, &mut successors);
    agent.search(game, &Turn { state, successors: &successors, random: 0 })
}

/// The action values of a search.
fn action_values<G: Game, V: Value>(game: &G, agent: &mut Expectimax<V>, state: State) -> Vec<f32> {
    values_of(&search(game, agent, state))
}

fn values_of(result: &SearchResult) -> Vec<f32> {
    result.action_values.iter().map(|&(_, value)| value).collect()
}

fn max(values: &[f32]) -> f32 {
    values.iter().copied().fold(f32::MIN, f32::max)
}

/// Returns true if two lists of values differ by rounding only.
fn close(one: &[f32], other: &[f32]) -> bool {
    one.len() == other.len()
        && one.iter().zip(other).all(|(a, b)| (a - b).abs() <= 1e-5 * a.abs().max(1.0))
}
