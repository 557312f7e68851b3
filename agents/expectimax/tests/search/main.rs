//! The search compared with slow references, on games of several kinds.

mod last_ply;
mod order;
mod reference;
mod time_limit;
mod unfamiliar;
mod values;

use agent_expectimax::{Expectimax, SearchOptions, SearchResult};
use game_2048::Game2048;
use runner_core::{Game, SingleThread, Spec, State, Value, ValueScale};
use runner_laws::doubles::with_turn;
use std::sync::Arc;

const RATING: ValueScale = ValueScale::Rating { min: -5.0, max: 5000.0 };

fn game_2048(spec: &str) -> Game2048 {
    let spec: Spec = spec.parse().unwrap();
    Game2048::new(spec.read().unwrap()).unwrap()
}

fn agent<V: Value>(value: V, options: SearchOptions) -> Expectimax<V> {
    Expectimax::with_options(value, options, Arc::new(SingleThread))
}

/// Searches a position, which may be one without a legal action.
fn search<G: Game, V: Value>(game: &G, agent: &mut Expectimax<V>, state: State) -> SearchResult {
    with_turn(game, state, 0, |turn| agent.search(game, turn))
}

fn action_values<G: Game, V: Value>(game: &G, agent: &mut Expectimax<V>, state: State) -> Vec<f32> {
    values_of(&search(game, agent, state))
}

fn values_of(result: &SearchResult) -> Vec<f32> {
    result.action_values.iter().map(|&(_, value)| value).collect()
}

/// Returns true if two lists of values differ by rounding only.
fn close(one: &[f32], other: &[f32]) -> bool {
    one.len() == other.len()
        && one.iter().zip(other).all(|(a, b)| (a - b).abs() <= 1e-5 * a.abs().max(1.0))
}
