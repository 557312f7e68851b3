//! Learning on boards that can be solved: the expected score of the learned policy is computed
//! exactly and compared with the optimum.

use super::support::*;
use runner_core::{BuildContext, Outcome, Outcomes};
use std::collections::HashMap;
use std::sync::Arc;

/// A policy: returns a value for each action of a state, and the largest is chosen. Its last
/// argument is the exact value of each action under this policy.
type Policy<'a> = &'a dyn Fn(State, &Successors, &[f64]) -> Vec<f64>;

fn optimal(_: State, _: &Successors, exact: &[f64]) -> Vec<f64> {
    exact.to_vec()
}

fn expected_score<G: Game>(game: &G, policy: Policy<'_>) -> f64 {
    let mut known = HashMap::new();
    let starts = game.starts().expect("the game lists its starts");
    let whole = |start: &Outcome| {
        let reward = f64::from(game.chance_reward(None, start.state));
        start.probability * (reward + value(game, start.state, policy, &mut known))
    };
    starts.iter().map(whole).sum()
}

fn value<G: Game>(
    game: &G,
    state: State,
    policy: Policy<'_>,
    known: &mut HashMap<State, f64>,
) -> f64 {
    if let Some(&value) = known.get(&state) {
        return value;
    }
    let mut successors = Successors::new();
    game.successors(state, &mut successors);
    let mut exact = |&Successor { afterstate, reward, .. }: &Successor| {
        let mut outcomes = Outcomes::with_capacity(game.description().max_outcomes);
        game.outcomes(afterstate, &mut outcomes);
        let of_outcome = |outcome: &Outcome| {
            let reward = f64::from(game.chance_reward(Some(afterstate), outcome.state));
            outcome.probability * (reward + value(game, outcome.state, policy, known))
        };
        f64::from(reward) + outcomes.iter().map(of_outcome).sum::<f64>()
    };
    let exact: Vec<f64> = successors.iter().map(&mut exact).collect();
    let mut best = (f64::NEG_INFINITY, 0.0);
    for (estimate, &exact) in policy(state, &successors, &exact).into_iter().zip(&exact) {
        if estimate > best.0 {
            best = (estimate, exact);
        }
    }
    known.insert(state, best.1);
    best.1
}

/// Trains a learner and returns its share of the optimal expected score.
fn share_of_optimum<P: ValuePlugin + Learner>(
    game: &impl Game,
    parameters: &str,
    moves: u64,
) -> f64 {
    let host: Arc<dyn Host> = Arc::new(SingleThread);
    let context =
        BuildContext { game: game.description(), game_spec: "a small board", host: &host };
    let learner = P::new(config(parameters), &context).unwrap();
    let plan = self::moves(moves);
    let session = TrainingSession { plan, seed: Seed(1), ..session(plan) };
    learner.train(game, &session).unwrap();
    let policy = |state: State, successors: &Successors, _: &[f64]| {
        let mut values = vec![0.0; successors.len()];
        learner.action_values(game, state, successors, &mut values);
        values.into_iter().map(f64::from).collect()
    };
    let (score, best) = (expected_score(game, &policy), expected_score(game, &optimal));
    println!("{}: {score} of {best}: {}", P::NAME, score / best);
    score / best
}

#[test]
fn four_cells_are_learned_to_99_percent() {
    let game = game_2048(2, 2);
    // The value of the exact solver.
    assert!((expected_score(&game, &optimal) - 66.964_149_457_101_24).abs() < 1e-9);
    assert!(share_of_optimum::<TcNtuple>(&game, "", 300_000) >= 0.99);
    assert!(share_of_optimum::<TdNtuple>(&game, "", 300_000) >= 0.99);
    assert!(share_of_optimum::<AutostepNtuple>(&game, "", 300_000) >= 0.99);
    assert!(share_of_optimum::<TcNtuple>(&game, "update: \"delayed\"", 300_000) >= 0.99);
}

/// The whole board of six cells, and small tuples that generalise to new positions.
const GENERALISING: &str = "012345 shape:22 shape:3 shape:2";

#[test]
fn six_cells_are_learned_to_97_percent() {
    let game = game_2048(2, 3);
    // The default is optimistic and exact. Observed: 0.98, and 0.99 after 20 million moves.
    assert!(share_of_optimum::<TcNtuple>(&game, "", 5_000_000) >= 0.97);
    // Without optimism it repeats what it knows. Observed: 0.45.
    assert!(share_of_optimum::<TcNtuple>(&game, "optimism: 0.0", 1_000_000) <= 0.7);
    // Small tuples learn faster at first, but stay at about 0.94.
    let network = format!("network: \"{GENERALISING}\"");
    assert!(share_of_optimum::<TcNtuple>(&game, &network, 1_000_000) >= 0.9);
}

fn threes_without_bonus() -> Threes {
    let config = game_threes::Config {
        rows: 2,
        cols: 2,
        bonus: game_threes::Bonus::None,
        ..Default::default()
    };
    Threes::new(config).unwrap()
}

#[test]
fn four_cells_of_threes_are_learned_to_99_percent() {
    let game = threes_without_bonus();
    let optimistic = |network| format!("network: \"{network}\", optimism: 50.0");
    assert!(share_of_optimum::<TcNtuple>(&game, &optimistic("0123+next"), 300_000) >= 0.99);
    // The default network reads the announced tile, too.
    assert!(share_of_optimum::<TcNtuple>(&game, "", 300_000) >= 0.99);
    assert!(share_of_optimum::<TcNtuple>(&game, &optimistic("0123"), 300_000) <= 0.9);
}

#[test]
fn state_and_action_value_functions_are_learned() {
    let game = game_2048(2, 2);
    for learns in ["states", "actions"] {
        // Without optimism a greedy policy on action values repeats what it knows: 0.4.
        let parameters = &format!("learns: \"{learns}\", optimism: 200.0");
        // With states, TC reaches 0.73 or 0.96, depending on the optimism, and stays there: its
        // steps vanish where errors cancel.
        assert!(share_of_optimum::<TcNtuple>(&game, parameters, 300_000) >= 0.7);
        assert!(share_of_optimum::<TdNtuple>(&game, parameters, 300_000) >= 0.95);
        assert!(share_of_optimum::<AutostepNtuple>(&game, parameters, 300_000) >= 0.95);
        let threes = threes_without_bonus();
        let parameters = &format!("learns: \"{learns}\", network: \"0123+next\", optimism: 50.0");
        assert!(share_of_optimum::<TcNtuple>(&threes, parameters, 300_000) >= 0.98);
    }
}
