//! A slow reference solver: plain value iteration without symmetries or layers.

use runner_core::{Game, Outcome, Outcomes, State, Successors};
use std::collections::HashMap;

/// A chance outcome: its probability, its reward and the index of its state.
type IndexedOutcome = (f64, f64, usize);

/// Returns the value of every state that is reachable from the given ones.
pub fn values<G: Game>(game: &G, from: impl Iterator<Item = State>) -> HashMap<State, f64> {
    let mut states: Vec<State> = Vec::new();
    let mut indices: HashMap<State, usize> = HashMap::new();
    let mut index = |state: State, states: &mut Vec<State>| {
        *indices.entry(state).or_insert_with(|| {
            states.push(state);
            states.len() - 1
        })
    };
    from.for_each(|state| {
        index(state, &mut states);
    });
    // For each state, the reward and the chance outcomes of each action.
    let mut actions: Vec<Vec<(f64, Vec<IndexedOutcome>)>> = Vec::new();
    let mut successors = Successors::new();
    let mut outcomes = Outcomes::with_capacity(game.description().max_outcomes);
    while let Some(&state) = states.get(actions.len()) {
        game.successors(state, &mut successors);
        let of_state = successors.iter().map(|successor| {
            game.outcomes(successor.afterstate, &mut outcomes);
            let reward = |to| f64::from(game.chance_reward(Some(successor.afterstate), to));
            let next = outcomes.iter().map(|outcome| {
                let index = index(outcome.state, &mut states);
                (outcome.probability, reward(outcome.state), index)
            });
            (f64::from(successor.reward), next.collect())
        });
        actions.push(of_state.collect());
    }
    let mut values = vec![0.0; states.len()];
    loop {
        let mut change: f64 = 0.0;
        for (state, actions) in actions.iter().enumerate().rev() {
            let action_values = actions.iter().map(|(reward, next)| {
                reward + next.iter().map(|(p, given, to)| p * (given + values[*to])).sum::<f64>()
            });
            let value = action_values.reduce(f64::max).unwrap_or(0.0);
            change = change.max((value - values[state]).abs());
            values[state] = value;
        }
        if change < 1e-12 {
            return states.into_iter().zip(values).collect();
        }
    }
}

/// Returns the expected score from the start states of `game` under `rules`, which may be
/// a second implementation of the game.
pub fn game_value<G: Game, R: Game>(game: &G, rules: &R) -> f64 {
    let starts = game.starts().unwrap();
    let values = values(rules, starts.iter().map(|start| start.state));
    let from = |start: &Outcome| f64::from(game.chance_reward(None, start.state));
    starts.iter().map(|start| start.probability * (from(start) + values[&start.state])).sum()
}
