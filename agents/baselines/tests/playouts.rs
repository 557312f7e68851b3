//! Values of actions by random playouts, and their number.

use agent_baselines::{Decision, PlayoutConfig, PureMonteCarlo};
use game_2048::{Config, Game2048};
use runner_core::{Action, Agent, Game, Outcomes, SingleThread, State, Successors};
use runner_laws::doubles::{TestThreads, with_turn};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

fn board(rows: usize, cols: usize) -> Game2048 {
    Game2048::new(Config { rows, cols, ..Config::default() }).unwrap()
}

fn playouts_of(playouts: u64) -> PlayoutConfig {
    PlayoutConfig { playouts, ..PlayoutConfig::default() }
}

fn decide<G: Game>(game: &G, config: PlayoutConfig, state: State) -> Decision {
    let host = Arc::new(TestThreads(2));
    let agent = PureMonteCarlo::with_config(config, game.description(), host).unwrap();
    with_turn(game, state, 1, |turn| agent.decide(game, turn))
}

/// Returns the expected score of random play from a state, by enumeration.
fn expected<G: Game>(game: &G, state: State, known: &mut HashMap<State, f64>) -> f64 {
    if let Some(&value) = known.get(&state) {
        return value;
    }
    let values = expected_of_actions(game, state, known);
    let value = match values.len() {
        0 => 0.0,
        count => values.iter().map(|(_, value)| value).sum::<f64>() / count as f64,
    };
    known.insert(state, value);
    value
}

/// Returns the expected score of each action with random play after it.
fn expected_of_actions<G: Game>(
    game: &G,
    state: State,
    known: &mut HashMap<State, f64>,
) -> Vec<(Action, f64)> {
    let mut successors = Successors::new();
    let mut outcomes = Outcomes::with_capacity(game.description().max_outcomes);
    game.successors(state, &mut successors);
    let value = |successor: &runner_core::Successor| {
        game.outcomes(successor.afterstate, &mut outcomes);
        let outcomes: Vec<_> = outcomes.to_vec();
        let rest = outcomes.iter().map(|o| o.probability * expected(game, o.state, known));
        (successor.action, f64::from(successor.reward) + rest.sum::<f64>())
    };
    successors.iter().map(value).collect()
}

#[test]
fn values_approach_the_expected_scores_of_random_play() {
    let game = board(2, 2);
    let mut known = HashMap::new();
    for text in ["2,2/0,4", "2,4/0,4", "2,0/0,2"] {
        let state = game.parse(text).unwrap();
        let exact = expected_of_actions(&game, state, &mut known);
        let found = decide(&game, playouts_of(100_000), state);
        assert_eq!(found.action_values.len(), exact.len());
        for ((action, value), (_, exact)) in found.action_values.iter().zip(&exact) {
            // The standard error is about 0.1 points.
            assert!((f64::from(*value) - exact).abs() < 0.6, "{text} {action:?}: {value}, {exact}");
        }
    }
}

#[test]
fn number_of_threads_does_not_change_the_decision() {
    let game = board(4, 4);
    let config = |threads| PlayoutConfig { threads, ..playouts_of(300) };
    for seed in 0..3 {
        let state = game.start(seed);
        let one = decide(&game, config(1), state);
        assert_eq!(one, decide(&game, config(2), state));
        assert_eq!(one, decide(&game, config(7), state));
    }
}

#[test]
fn weights_mix_the_mean_the_lowest_and_the_highest_score() {
    let game = board(3, 3);
    let state = game.parse("2,4,2/4,2,0/2,0,0").unwrap();
    let by = |mean, min, max| {
        decide(&game, PlayoutConfig { mean, min, max, ..playouts_of(200) }, state).action_values
    };
    let parts = [by(1.0, 0.0, 0.0), by(0.0, 1.0, 0.0), by(0.0, 0.0, 1.0)];
    let mixed = by(0.5, 2.0, 0.25);
    assert!(!mixed.is_empty());
    for (k, (_, mixed)) in mixed.iter().enumerate() {
        let [mean, min, max] = [0, 1, 2].map(|part: usize| parts[part][k].1);
        assert!(min < mean && mean < max);
        assert!((mixed - (0.5 * mean + 2.0 * min + 0.25 * max)).abs() < 0.01);
    }
}

#[test]
fn lists_of_fixed_actions_value_the_first_action_by_the_best_list() {
    let game = board(2, 2);
    let state = game.parse("2,2/4,8").unwrap();
    let found = decide(&game, PlayoutConfig { moves: 2, ..playouts_of(50_000) }, state);
    // Two legal actions, four lists for each.
    assert_eq!((found.action_values.len(), found.playouts), (2, 2 * 4 * 50_000));
    let mut known = HashMap::new();
    let mut successors = Successors::new();
    game.successors(state, &mut successors);
    let mut outcomes = Outcomes::with_capacity(game.description().max_outcomes);
    for (successor, (_, value)) in successors.iter().zip(&found.action_values) {
        game.outcomes(successor.afterstate, &mut outcomes);
        let of_list = |second: u8| -> f64 {
            let after = |state: State| {
                let all = expected_of_actions(&game, state, &mut known.clone());
                let chosen = all.iter().find(|(action, _)| action.0 == second);
                // An action that is not legal is skipped.
                chosen.map_or_else(|| expected(&game, state, &mut known.clone()), |(_, v)| *v)
            };
            outcomes.iter().map(|o| o.probability * after(o.state)).sum()
        };
        let best = (0..4).map(of_list).fold(f64::MIN, f64::max) + f64::from(successor.reward);
        known.clear();
        assert!((f64::from(*value) - best).abs() < 0.6, "{value} {best}");
    }
}

#[test]
fn a_time_limit_repeats_the_playouts_until_it_is_over() {
    let game = board(3, 3);
    let time = Duration::from_millis(200);
    let config = PlayoutConfig { time: "200ms".parse().ok(), ..playouts_of(10) };
    let began = Instant::now();
    let found = decide(&game, config, game.start(1));
    assert!(began.elapsed() >= time);
    assert!(found.playouts > 10 * 4 && found.playouts.is_multiple_of(40), "{}", found.playouts);
}

#[test]
fn a_single_legal_action_is_taken() {
    let game = board(2, 2);
    let state = game.parse("2,0/4,0").unwrap();
    let host = Arc::new(SingleThread);
    let mut agent = PureMonteCarlo::with_config(playouts_of(1), game.description(), host).unwrap();
    with_turn(&game, state, 1, |turn| {
        assert_eq!(turn.successors.len(), 1);
        assert_eq!(agent.act(&game, turn), Some(turn.successors[0].action));
        assert_eq!(agent.analyse(&game, turn).action_values.len(), 1);
    });
}

#[test]
fn lists_that_are_too_long_for_the_game_are_refused() {
    let game = board(2, 2);
    let with = |moves| {
        let config = PlayoutConfig { moves, ..PlayoutConfig::default() };
        PureMonteCarlo::with_config(config, game.description(), Arc::new(SingleThread)).err()
    };
    assert!(with(7).is_none());
    for moves in [0, 8] {
        let error = with(moves).unwrap();
        assert_eq!(error.parameter.as_deref(), Some("moves"));
        assert!(error.message.contains("not from 1 to 7"), "{error}");
    }
}
