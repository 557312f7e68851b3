//! Refused parameters, and the defaults that depend on the value.

mod support;

use agent_mcts::{
    Backup, Budget, Chance, ChanceNodes, Choice, Config, FirstPlay, Growth, Parallel, Rule,
    SearchOptions, Widening,
};
use runner_core::{Afterstate, BuildError, Game, Spec, Value, ValueScale};
use std::time::Duration;
use support::board;

struct Rating;

impl Value for Rating {
    fn evaluate(&self, _: &[Afterstate], values: &mut [f32]) {
        values.fill(0.5);
    }

    fn scale(&self) -> ValueScale {
        ValueScale::Rating { min: 0.0, max: 1.0 }
    }
}

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
    config.options(board(4, 4).description(), value, config.prior.is_some(), (1, 1 << 30))
}

/// Checks that parameters are refused, with the name of the wrong one and a part of the message.
#[track_caller]
fn refused(value: Option<&dyn Value>, parameters: &str, parameter: &str, expected: &str) {
    let spec: Spec = format!("mcts({parameters})").parse().unwrap();
    let message = match spec.read::<Config>() {
        Ok(config) => {
            let error = options(config, value).expect_err(parameters);
            format!("`{}`: {}", error.parameter.unwrap_or_default(), error.message)
        }
        Err(error) => format!("{error} {}", error.allowed.join(", ")),
    };
    assert!(message.contains(&format!("`{parameter}`")) && message.contains(expected), "{message}");
}

#[test]
fn wrong_parameters_are_refused_with_what_is_allowed() {
    for (parameters, parameter, expected) in [
        ("simulations: 0", "simulations", "1 to 1000000000"),
        ("playouts: 0", "playouts", "1 to 100000"),
        ("playouts: 100001", "playouts", "0 to 100000"),
        ("mix: 0.5", "mix", "both"),
        ("widening: 0.5, chance: \"open\"", "widening", "no chance nodes"),
        ("widening: 0.5, widening_factor: 0", "widening_factor", "from 0.000001"),
        ("widening_factor: 1", "widening_factor", "no effect"),
        ("prior: rows, select: \"uct\"", "prior", "no effect with `select: \"uct\"`"),
        ("prior: rows, prior_temperature: 1e-300", "prior_temperature", "from 0.000001"),
        ("prior_temperature: 1", "prior_temperature", "no effect"),
        ("first_play: \"estimate\"", "first_play", "`value`"),
        ("first_play_reduction: 0.1", "first_play_reduction", "parent"),
        ("time: \"0.5ms\"", "time", "is not from 1ms to 1d"),
        ("time: \"soon\"", "time", "500ms"),
        ("memory: \"1\"", "memory", "hold no node"),
        ("memory: \"400\"", "memory", "hold no node"),
        ("memory: \"10000T\"", "memory", "\"1024M\""),
    ] {
        refused(None, parameters, parameter, expected);
    }
    refused(Some(&Rating), "playouts: 1", "playouts", "rating");
    refused(Some(&Points), "playouts: 1, mix: 1.5", "mix", "from 0 to 1");
    // A tree of lists of actions was not searched for the outcome that came.
    let open = |keep| Config { chance: ChanceNodes::Open, keep, ..Config::default() };
    let [open, kept] = [open(None), open(Some(true))].map(|config| options(config, None).unwrap());
    assert!(!open.keep && kept.keep && options(Config::default(), None).unwrap().keep);
    let zero = Config { first_play: Some(FirstPlay::Zero), ..Config::default() };
    assert_eq!(options(zero, None).unwrap().selection.first_play, FirstPlay::Zero);
}

#[test]
fn tree_that_holds_no_node_is_refused_with_the_size_that_does() {
    let error = options(Config { memory: "1".into(), ..Config::default() }, None).unwrap_err();
    let least: usize =
        error.message.split("node: ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    let config = Config { memory: least.to_string(), ..Config::default() };
    assert_eq!(options(config.clone(), None).unwrap().memory, least);
    // Two trees need twice as much.
    let two = Config { threads: 2, parallel: Some(Parallel::Root), ..config };
    assert!(options(two, None).is_err());
}

#[test]
fn positions_are_added_by_playouts_on_small_boards() {
    let on = |rows, config: Config| {
        let game = board(rows, 3);
        config.options(game.description(), None, false, (1, u64::MAX))
    };
    let small = on(2, Config::default()).unwrap();
    assert_eq!((small.growth, small.backup), (Growth::Before(8), Backup::Max));
    assert_eq!((small.choice, small.selection.exploration), (Choice::Value, 8.0));
    assert_eq!(on(3, Config::default()).unwrap().growth, Growth::After(16));
    let positions = Config { positions: Some(2), ..Config::default() };
    assert_eq!(on(3, positions).unwrap().growth, Growth::Before(2));
    let after = Config { expand_after: Some(4), ..Config::default() };
    assert_eq!(on(2, after).unwrap().growth, Growth::After(4));
    for other in ["expand_after: 4", "chance: \"open\"", "widening: 0.5"] {
        refused(None, &format!("positions: 2, {other}"), "positions", "cannot be combined");
    }
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
    assert_eq!((value.playouts, value.selection.first_play), (0, FirstPlay::Estimate));
    assert!(value.selection.exploration < playouts.selection.exploration);
    assert_eq!((playouts.backup, value.backup), (Backup::Mean, Backup::Max));
    assert_eq!((playouts.growth, playouts.batch), (Growth::After(16), 32));
    assert_eq!((value.growth, value.batch), (Growth::After(1), 8));
    assert!(playouts.tree_per_thread && value.tree_per_thread);
    let network = options(Config::default(), Some(&Network)).unwrap();
    assert!(!network.tree_per_thread && network.selection.rule == Rule::Puct);
    let mixed = Config { playouts: Some(1), ..Config::default() };
    assert_eq!(options(mixed, Some(&Points)).unwrap().backup, Backup::Mean);
    let prior = Config { prior: Some("rows".parse().unwrap()), ..Config::default() };
    let selection = options(prior, None).unwrap().selection;
    assert_eq!(selection.rule, Rule::Puct);
    assert_eq!(selection.first_play, FirstPlay::Parent);
    let widening = Config { widening: Some(0.5), ..Config::default() };
    let chance = options(widening, None).unwrap().chance;
    let widening = Widening { exponent: 0.5, factor: 1.0 };
    assert_eq!(chance, Chance::Closed { widening: Some(widening) });
    assert_eq!([1, 4, 100].map(|visits| widening.limit(visits)), [1, 2, 10]);
}
