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
    config: P::Config,
    moves: u64,
) -> f64 {
    let host: Arc<dyn Host> = Arc::new(SingleThread);
    let context =
        BuildContext { game: game.description(), game_spec: "a small board", host: &host };
    let learner = P::new(config, &context).unwrap();
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
    assert!(share_of_optimum::<TcNtuple>(&game, TcConfig::default(), 300_000) >= 0.99);
    assert!(share_of_optimum::<TdNtuple>(&game, TdConfig::default(), 300_000) >= 0.99);
    assert!(share_of_optimum::<AutostepNtuple>(&game, AutostepConfig::default(), 300_000) >= 0.99);
    let config = TcConfig { update: Some("delayed".to_owned()), ..TcConfig::default() };
    assert!(share_of_optimum::<TcNtuple>(&game, config, 300_000) >= 0.99);
}

/// The whole board of six cells, and small tuples that generalise to new positions.
const GENERALISING: &str = "012345 shape:22 shape:3 shape:2";

#[test]
fn six_cells_are_learned_to_97_percent() {
    let game = game_2048(2, 3);
    // The default is optimistic and exact. Observed: 0.98, and 0.99 after 20 million moves.
    assert!(share_of_optimum::<TcNtuple>(&game, TcConfig::default(), 5_000_000) >= 0.97);
    // Without optimism it repeats what it knows. Observed: 0.45.
    let config = TcConfig { optimism: Some(0.0), ..TcConfig::default() };
    assert!(share_of_optimum::<TcNtuple>(&game, config, 1_000_000) <= 0.7);
    // Small tuples learn faster at first, but stay at about 0.94.
    let network = Some(GENERALISING.to_owned());
    let config = TcConfig { network, ..TcConfig::default() };
    assert!(share_of_optimum::<TcNtuple>(&game, config, 1_000_000) >= 0.9);
}

fn threes_without_bonus() -> Threes {
    let config = game_threes::Config { rows: 2, cols: 2, bonus: false, ..Default::default() };
    Threes::new(config).unwrap()
}

#[test]
fn four_cells_of_threes_are_learned_to_99_percent() {
    let game = threes_without_bonus();
    let network = Some("0123+next".to_owned());
    let config = TcConfig { network, optimism: Some(50.0), ..TcConfig::default() };
    assert!(share_of_optimum::<TcNtuple>(&game, config, 300_000) >= 0.99);
    // The default network reads the announced tile, too.
    assert!(share_of_optimum::<TcNtuple>(&game, TcConfig::default(), 300_000) >= 0.99);
    let network = Some("0123".to_owned());
    let config = TcConfig { network, optimism: Some(50.0), ..TcConfig::default() };
    assert!(share_of_optimum::<TcNtuple>(&game, config, 300_000) <= 0.9);
}

#[test]
fn state_and_action_value_functions_are_learned() {
    let game = game_2048(2, 2);
    for learns in [ValueFunction::States, ValueFunction::Actions] {
        // Without optimism a greedy policy on action values repeats what it knows: 0.4.
        let optimism = Some(200.0);
        let tc = TcConfig { learns, optimism, ..TcConfig::default() };
        let td = TdConfig { learns, optimism, ..TdConfig::default() };
        let autostep = AutostepConfig { learns, optimism, ..AutostepConfig::default() };
        // With states, TC reaches 0.73 or 0.96, depending on the optimism, and stays there: its
        // steps vanish where errors cancel.
        assert!(share_of_optimum::<TcNtuple>(&game, tc, 300_000) >= 0.7);
        assert!(share_of_optimum::<TdNtuple>(&game, td, 300_000) >= 0.95);
        assert!(share_of_optimum::<AutostepNtuple>(&game, autostep, 300_000) >= 0.95);
        let (threes, network) = (threes_without_bonus(), Some("0123+next".to_owned()));
        let config = TcConfig { network, optimism: Some(50.0), learns, ..TcConfig::default() };
        assert!(share_of_optimum::<TcNtuple>(&threes, config, 300_000) >= 0.98);
    }
}

#[test]
fn actions_are_learned_more_slowly_than_states_and_afterstates() {
    let game = game_2048(2, 3);
    let part = |learns: ValueFunction, moves: u64| {
        share_of_optimum::<TcNtuple>(
            &game,
            TcConfig { network: Some(GENERALISING.to_owned()), learns, ..TcConfig::default() },
            moves,
        )
    };
    // Observed: 0.17 before training; then 0.90, 0.90 and 0.77. This training is too short to
    // rank states and afterstates: other random streams gave 0.94 and 0.91.
    let [afterstates, states, actions] =
        [ValueFunction::Afterstates, ValueFunction::States, ValueFunction::Actions].map(|learns| {
            assert!(part(learns, 0) < 0.3);
            part(learns, 300_000)
        });
    let found = [afterstates, states, actions];
    assert!(actions > 0.5 && states > actions + 0.05 && afterstates > actions + 0.05, "{found:?}");
}
