//! Refused parameters, and the defaults that depend on the value.

use crate::support::board;
use agent_mcts::{Backup, Budget, Config, FirstPlay, Growth, Rule, SearchOptions};
use runner_core::{Afterstate, BuildError, Game, Spec, Value};
use std::time::Duration;

struct Points;

impl Value for Points {
    fn evaluate(&self, _: &[Afterstate], values: &mut [f32]) {
        values.fill(1.0);
    }
}

struct Network;

impl Value for Network {
    fn evaluate(&self, _: &[Afterstate], values: &mut [f32]) {
        values.fill(1.0);
    }

    fn has_priors(&self) -> bool {
        true
    }
}

fn options(config: Config, value: Option<&dyn Value>) -> Result<SearchOptions, BuildError> {
    config.options(board(4, 4).description(), value, config.prior.is_some(), 1, 1 << 30)
}

/// Checks that parameters are refused, with the name of the wrong one and a part of the message.
#[track_caller]
fn refused(value: Option<&dyn Value>, parameters: &str, parameter: &str, expected: &str) {
    let spec: Spec = format!("mcts({parameters})").parse().unwrap();
    let error = options(spec.read().unwrap(), value).expect_err(parameters);
    assert_eq!(error.parameter.as_deref(), Some(parameter));
    assert!(error.message.contains(expected), "{error}");
}

#[test]
fn wrong_parameters_are_refused_with_what_is_allowed() {
    for (parameters, parameter, expected) in [
        ("memory: \"1\"", "memory", "hold no node"),
        ("memory: \"400\"", "memory", "hold no node"),
        ("memory: \"10000T\"", "memory", "\"1024M\""),
    ] {
        refused(None, parameters, parameter, expected);
    }
    refused(Some(&Points), "playouts: 1", "playouts", "no effect with `value`");
}

#[test]
fn tree_that_holds_no_node_is_refused_with_the_size_that_does() {
    let error = options(Config { memory: "1".into(), ..Config::default() }, None).unwrap_err();
    let least: usize =
        error.message.split("node: ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    let config = Config { memory: least.to_string(), ..Config::default() };
    assert_eq!(options(config.clone(), None).unwrap().memory, least);
    // Two trees need twice as much.
    let two = Config { threads: 2, ..config };
    assert!(options(two, None).is_err());
}

#[test]
fn positions_are_added_by_playouts_on_small_boards() {
    let on = |rows, config: Config| {
        let game = board(rows, 3);
        config.options(game.description(), None, false, 1, u64::MAX)
    };
    let small = on(2, Config::default()).unwrap();
    assert_eq!((small.growth, small.backup), (Growth::Before(8), Backup::Max));
    assert_eq!(small.selection.exploration, 8.0);
    assert_eq!(on(3, Config::default()).unwrap().growth, Growth::After(16));
    let positions = Config { positions: Some(2), ..Config::default() };
    assert_eq!(on(3, positions).unwrap().growth, Growth::Before(2));
    let after = Config { expand_after: Some(4), ..Config::default() };
    assert_eq!(on(2, after).unwrap().growth, Growth::After(4));
    refused(None, "positions: 2, expand_after: 4", "positions", "cannot be combined");
    refused(Some(&Points), "positions: 2", "positions", "cannot be combined with `value`");
}

#[test]
fn defaults_depend_on_the_value() {
    let playouts = options(Config::default(), None).unwrap();
    assert_eq!(playouts.budget, Budget { simulations: Some(1000), ..Budget::default() });
    assert_eq!((playouts.playouts, playouts.selection.first_play), (1, FirstPlay::TryAll));
    assert_eq!(playouts.selection.rule, Rule::Uct);
    let time = Config { time: "10ms".parse().ok(), ..Config::default() };
    let value = options(time, Some(&Points)).unwrap();
    let limit = Some(Duration::from_millis(10));
    assert_eq!(value.budget, Budget { time: limit, ..Budget::default() });
    assert_eq!(value.selection.first_play, FirstPlay::Parent);
    assert!(value.selection.exploration < playouts.selection.exploration);
    assert_eq!((playouts.backup, value.backup), (Backup::Mean, Backup::Max));
    assert_eq!((playouts.growth, playouts.batch), (Growth::After(16), 32));
    assert_eq!((value.growth, value.batch), (Growth::After(1), 8));
    let network = options(Config::default(), Some(&Network)).unwrap();
    assert_eq!(network.selection.rule, Rule::Puct);
    let prior = Config { prior: Some("rows".parse().unwrap()), ..Config::default() };
    let selection = options(prior, None).unwrap().selection;
    assert_eq!(selection.rule, Rule::Puct);
    assert_eq!(selection.first_play, FirstPlay::Parent);
}
