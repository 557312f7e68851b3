//! Refused parameters, and the defaults that depend on the value.

mod support;

use agent_mcts::{
    Backup, Budget, Chance, ChanceNodes, Config, FirstPlay, FirstPlayRule, Parallel, Rule,
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

#[test]
fn parameters_out_of_range_are_refused_with_what_is_allowed() {
    let refused = |config: Config, value: Option<&dyn Value>, parameter: &str, expected: &str| {
        let error = options(config, value).unwrap_err();
        assert_eq!(error.parameter.as_deref(), Some(parameter), "{error}");
        assert!(error.message.contains(expected), "{error}");
    };
    let default = Config::default;
    let plain = |config, parameter, expected| refused(config, None, parameter, expected);
    plain(Config { simulations: Some(0), ..default() }, "simulations", "1 to 1000000000");
    plain(Config { nodes: Some(0), ..default() }, "nodes", "1 to 1000000000");
    plain(Config { exploration: Some(-1.0), ..default() }, "exploration", "from 0");
    plain(Config { exploration: Some(f64::NAN), ..default() }, "exploration", "from 0");
    plain(Config { batch: Some(0), ..default() }, "batch", "1 to 4096");
    plain(Config { expand_after: Some(0), ..default() }, "expand_after", "1 to 1000000");
    plain(Config { threads: 0, ..default() }, "threads", "1 to 256");
    plain(Config { threads: 257, ..default() }, "threads", "1 to 256");
    plain(Config { playouts: Some(0), ..default() }, "playouts", "1 to 100000");
    plain(Config { playouts: Some(100_001), ..default() }, "playouts", "0 to 100000");
    plain(Config { mix: Some(0.5), ..default() }, "mix", "both");
    plain(Config { widening: Some(0.0), ..default() }, "widening", "up to 1");
    plain(Config { widening: Some(1.5), ..default() }, "widening", "up to 1");
    plain(Config { widening_factor: Some(1.0), ..default() }, "widening_factor", "no effect");
    plain(Config { exploration: Some(1e7), ..default() }, "exploration", "to 1000000");
    let prior = Config { prior: Some("rows".parse().unwrap()), ..default() };
    let uct = Config { select: Some(Rule::Uct), ..prior.clone() };
    plain(uct, "prior", "no effect with `select: \"uct\"`");
    let cold = Config { prior_temperature: Some(1e-300), ..prior };
    plain(cold, "prior_temperature", "from 0.000001");
    // A tree of lists of actions was not searched for the outcome that came.
    let open =
        |keep| options(Config { chance: ChanceNodes::Open, keep, ..default() }, None).unwrap();
    assert!(!open(None).keep && open(Some(true)).keep);
    assert!(options(default(), None).unwrap().keep);
    let zero = Config { first_play: Some(FirstPlayRule::Zero), ..Config::default() };
    assert_eq!(options(zero, None).unwrap().selection.first_play, FirstPlay::Zero);
    let widening = Config { widening: Some(0.5), ..default() };
    plain(Config { chance: ChanceNodes::Open, ..widening.clone() }, "widening", "no chance nodes");
    plain(Config { widening_factor: Some(0.0), ..widening }, "widening_factor", "from 0.000001");
    plain(
        Config { first_play: Some(FirstPlayRule::Estimate), ..default() },
        "first_play",
        "`value`",
    );
    let reduction = Config { first_play_reduction: Some(0.1), ..default() };
    plain(reduction, "first_play_reduction", "parent");
    plain(Config { prior_temperature: Some(1.0), ..default() }, "prior_temperature", "no effect");
    let prior = Config { prior: Some("rows".parse().unwrap()), ..default() };
    plain(Config { prior_temperature: Some(0.0), ..prior }, "prior_temperature", "from 0.000001");
    let mixed = Config { playouts: Some(1), ..default() };
    refused(mixed.clone(), Some(&Rating), "playouts", "rating");
    refused(Config { mix: Some(1.5), ..mixed }, Some(&Points), "mix", "from 0 to 1");
}

#[test]
fn unknown_words_and_times_are_refused_with_what_is_allowed() {
    for (parameter, value, expected) in [
        ("time", "\"0.5ms\"", "is not from 1ms to 1d"),
        ("time", "\"soon\"", "500ms"),
        ("select", "\"best\"", "\"uct\", \"puct\""),
        ("scale", "\"none\"", "\"points\""),
        ("choice", "\"luck\"", "\"visits\""),
        ("backup", "\"median\"", "\"mean\", \"max\""),
        ("chance", "\"ajar\"", "\"closed\", \"open\""),
        ("parallel", "\"leaf\"", "\"root\""),
    ] {
        let spec: Spec = format!("mcts({parameter}: {value})").parse().unwrap();
        let error = spec.read::<Config>().unwrap_err().to_string();
        assert!(error.contains(&format!("`{parameter}`")) && error.contains(expected), "{error}");
    }
}

#[test]
fn tree_that_holds_no_node_is_refused_with_the_size_that_does() {
    for (memory, expected) in
        [("1", "hold no node"), ("400", "hold no node"), ("10000T", "\"1024M\"")]
    {
        let config = Config { memory: memory.into(), ..Config::default() };
        let error = options(config, None).unwrap_err();
        assert_eq!(error.parameter.as_deref(), Some("memory"));
        assert!(error.message.contains(expected), "{error}");
    }
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
    assert_eq!((playouts.expand_after, playouts.batch), (16, 32));
    assert_eq!((value.expand_after, value.batch), (1, 8));
    assert!(playouts.tree_per_thread && value.tree_per_thread);
    let network = options(Config::default(), Some(&Network)).unwrap();
    assert!(!network.tree_per_thread && network.selection.rule == Rule::Puct);
    let mixed = Config { playouts: Some(1), ..Config::default() };
    assert_eq!(options(mixed, Some(&Points)).unwrap().backup, Backup::Mean);
    let prior = Config { prior: Some("rows".parse().unwrap()), ..Config::default() };
    let selection = options(prior, None).unwrap().selection;
    assert_eq!(selection.rule, Rule::Puct);
    assert_eq!(selection.first_play, FirstPlay::Parent { reduction: 0.0 });
    let widening = Config { widening: Some(0.5), ..Config::default() };
    let chance = options(widening, None).unwrap().chance;
    let widening = Widening { exponent: 0.5, factor: 1.0 };
    assert_eq!(chance, Chance::Closed { widening: Some(widening) });
    assert_eq!([1, 4, 100].map(|visits| widening.limit(visits)), [1, 2, 10]);
}
