//! Invalid parameters of the searching agents: each is refused before any game is played,
//! with its name, its place in the spec, and the allowed range.

use crate::harness::place::Place;
use crate::harness::transcript::assert_snapshot;
use crate::harness::{Ran, expect_json, expect_usage_error, library, run, text};

const GAME: &str = "2048(rows: 2, cols: 3)";

/// Agents that share the parameters `depth` and `value`.
const SEARCHES: [&str; 2] = ["expectimax", "minimax"];

/// Runs `think` on a position of the small board.
fn think(agent: &str) -> Ran {
    run(&["think", "--game", GAME, "--agent", agent, "--state", "2,0,0/0,2,0", "--json"])
}

/// Returns how agents are refused, each with a parameter and one of these values.
#[track_caller]
fn refusals(parameters: &[(&str, &str, &[&str])]) -> String {
    let mut text = String::new();
    for (agent, parameter, values) in parameters {
        for value in *values {
            let spec = format!("{agent}({parameter}: {value})");
            let ran = think(&spec);
            assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{ran:?}");
            text += &ran.err;
        }
    }
    text
}

#[test]
fn numbers_out_of_range_are_refused() {
    assert_snapshot!(refusals(&[
        ("expectimax", "depth", &["0", "33", "60", "-1", "2.5"]),
        ("minimax", "depth", &["0", "33", "60", "-1", "2.5"]),
        ("minimax", "outcomes", &["0"]),
        ("expectimax", "time", &["\"0ms\"", "\"0s\"", "\"0.9ms\"", "\"soon\"", "\"10\"", "10"]),
        ("expectimax", "min_probability", &["NaN", "inf", "-1", "-0.1", "1", "1.5"]),
        ("expectimax", "full_plies", &["33"]),
        ("expectimax", "threads", &["0", "257", "1000"]),
        ("expectimax", "table", &["\"0\"", "\"-1\"", "\"lots\"", "\"1023\"", "16"]),
    ]));
}

/// A time limit may exceed what the clock can represent.
#[test]
fn the_longest_time_and_the_smallest_table_are_allowed() {
    for allowed in ["time: \"24h\", depth: 2", "time: \"1ms\"", "table: \"1k\""] {
        let found = expect_json(&think(&format!("expectimax({allowed})")));
        assert_eq!(found["values"].as_array().unwrap().len(), 4, "{found}");
    }
}

#[test]
fn limits_on_tiles_and_empty_cells_depend_on_the_board() {
    let empty = ["[(5, 2), (4, 0)]", "[(5, 2), (4, 33)]", "[(1, 2, 3)]", "[(6, 1)]"];
    let mut told =
        refusals(&[("expectimax", "distinct", &["17"]), ("expectimax", "empty", &empty)]);
    expect_json(&think("expectimax(empty: [(5, 1), (0, 2)], distinct: 16)"));

    let pig = library("pig");
    for agent in [
        "expectimax(distinct: 2)",
        "expectimax(empty: [(4, 2)])",
        "expectimax",
        "minimax",
        "expectimax(value: rows)",
        "minimax(value: rows)",
    ] {
        told += &run(&["eval", "--game", "pig", "--plugin-path", text(&pig), "--agent", agent]).err;
    }
    assert_snapshot!(told);
}

#[test]
fn an_unusable_value_is_refused() {
    let values = [
        "random",
        "alpha(weights: [])",
        "alpha(weights: [[1, 2, 3]])",
        "beta(weights: [[1, 2, 3], [4, 5]])",
        "beta(weights: [[1, 2, 3], [4, 5, 6, 7]])",
        "beta(weights: [[1, 2, 3], [4, 5, NaN]])",
        "rows(empty: inf)",
        "rows(lost: -1e300)",
        "rows(sum_power: NaN)",
        "smooth(order: 1e300)",
        "snake-paths(ratio: NaN)",
        "rows(weight: 1)",
    ];
    assert_snapshot!(refusals(&SEARCHES.map(|agent| (agent, "value", &values[..]))));
}

#[test]
fn a_value_that_estimates_actions_is_refused() {
    let place = Place::new();
    for learns in ["states", "actions"] {
        let learner = format!("tc-ntuple(network: \"01\", learns: \"{learns}\")");
        let words = ["train", "--game", GAME, "--agent", &learner, "--moves", "1k", "--json"];
        expect_json(&place.run(&[&words[..], &["--model", learns]].concat()));
        let value = format!("tc-ntuple(learns: \"{learns}\", model: \"{learns}\")");
        for (agent, parameter) in
            [("expectimax", "value"), ("minimax", "value"), ("expectimax", "exact")]
        {
            let spec = format!("{agent}({parameter}: {value})");
            let ran = place.run(&["think", "--game", GAME, "--agent", &spec, "--json"]);
            let named = format!("agent `{agent}`: parameter `{parameter}`: ");
            expect_usage_error(&ran, &[&named, "this one estimates actions"]);
        }
    }
}

/// Ratings are never exact.
#[test]
fn an_exact_value_without_effect_is_refused() {
    for value in ["rows", "smooth"] {
        let spec = format!("expectimax(depth: 1, exact: {value})");
        let ran = Place::new().run(&["think", "--game", GAME, "--agent", &spec, "--json"]);
        expect_usage_error(&ran, &["agent `expectimax`: parameter `exact`: ", "no effect"]);
    }
}

#[test]
fn a_model_of_another_game_is_refused_with_both_games() {
    let place = Place::new();
    for (model, game) in [
        ("small", "2048(rows: 2, cols: 2)"),
        ("large", "2048(rows: 3, cols: 3)"),
        ("other", "1024(rows: 2, cols: 3)"),
        ("odds", "2048(rows: 2, cols: 3, four: 0.2)"),
        ("same", GAME),
    ] {
        let network = if model == "large" { "678" } else { "012" };
        let learner = format!("tc-ntuple(network: \"{network}\")");
        let words = ["train", "--game", game, "--agent", &learner, "--moves", "1k", "--json"];
        expect_json(&place.run(&[&words[..], &["--model", model]].concat()));
    }
    for agent in SEARCHES {
        let plays = |model: &str| {
            let spec = format!("{agent}(value: tc-ntuple(model: \"{model}\"))");
            place.run(&["eval", "--game", GAME, "--agent", &spec, "--games", "2", "--json"])
        };
        expect_json(&plays("same"));
        for (model, theirs) in [
            ("small", "2048(rows: 2, cols: 2"),
            ("large", "2048(rows: 3, cols: 3"),
            ("other", "1024(rows: 2, cols: 3"),
            ("odds", "2048(rows: 2, cols: 3, four: 0.2"),
        ] {
            let named = format!("agent `{agent}`: parameter `value`: value `tc-ntuple`");
            let fits = format!("parameter `model`: {model} does not fit: its game is `{theirs}");
            let ours = "needed is `2048(rows: 2, cols: 3, four: 0.1";
            expect_usage_error(&plays(model), &[&named, &fits, ours]);
        }
        expect_usage_error(&plays("none"), &["parameter `model`: cannot read none"]);
    }
}

#[test]
fn sampling_searches_refuse_what_they_cannot_do() {
    assert_snapshot!(refusals(&[
        ("pure-monte-carlo", "playouts", &["0"]),
        ("pure-monte-carlo", "min", &["-1"]),
        ("pure-monte-carlo", "moves", &["8"]),
        ("pure-monte-carlo", "deep_playouts", &["100"]),
        ("mcts", "simulations", &["0"]),
        ("mcts", "nodes", &["0"]),
        ("mcts", "time", &["\"0.9ms\""]),
        ("mcts", "exploration", &["-0.5"]),
        ("mcts", "memory", &["\"100\""]),
        ("mcts", "select", &["\"best\""]),
        ("mcts", "value", &["random", "rows, playouts: 1"]),
    ]));
}

/// More memory than any machine has, but representable.
#[test]
fn memory_that_the_machine_does_not_have_is_refused() {
    for agent in ["expectimax(table: \"10000T\")", "mcts(memory: \"10000T\")"] {
        expect_usage_error(&think(agent), &["more memory than there is"]);
    }
}

/// The statistics of an action are its visits and its mean return.
#[test]
fn think_shows_what_a_sampling_search_found() {
    let found = expect_json(&think("mcts(simulations: 200, chance: \"open\")"));
    assert_eq!(found["values"].as_array().unwrap().len(), 4, "{found}");
    assert_eq!(found["facts"]["simulations"], 200, "{found}");
    assert!(found["facts"]["visits"].as_str().unwrap().contains("up "), "{found}");
    let found = expect_json(&think("pure-monte-carlo(playouts: 30)"));
    assert_eq!(found["facts"]["playouts"], 120, "{found}");
}
