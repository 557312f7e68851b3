//! Invalid parameters of the searching agents: each is refused before any game is played,
//! with its name, its place in the spec, and the allowed range.

use crate::harness::place::Place;
use crate::harness::transcript::assert_snapshot;

const GAME: &str = "2048(rows: 2, cols: 3)";

/// Returns the command line that thinks on a position of the small board.
fn think(agent: &str) -> String {
    format!("think --game '{GAME}' --agent '{agent}' --state 2,0,0/0,2,0")
}

/// Returns how agents are refused, each with a parameter and one of these values.
#[track_caller]
fn refusals(parameters: &[(&str, &str, &[&str])]) -> String {
    let mut text = String::new();
    for (agent, parameter, values) in parameters {
        for value in *values {
            let ran = Place::new().sh(think(&format!("{agent}({parameter}: {value})")));
            assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{ran:?}");
            text += &ran.err;
        }
    }
    text
}

/// A time limit may exceed what the clock can represent.
#[test]
fn the_longest_time_and_the_smallest_table_are_allowed() {
    for allowed in ["time: \"24h\", depth: 2", "time: \"1ms\"", "table: \"1k\""] {
        let found = Place::new().json(think(&format!("expectimax({allowed})")));
        assert_eq!(found["values"].as_array().unwrap().len(), 4, "{found}");
    }
}

#[test]
fn limits_on_tiles_and_empty_cells_depend_on_the_board() {
    let empty = ["[(5, 2), (4, 33)]", "[(1, 2, 3)]", "[(6, 1)]"];
    let mut told =
        refusals(&[("expectimax", "distinct", &["17"]), ("expectimax", "empty", &empty)]);
    Place::new().json(think("expectimax(empty: [(5, 1), (0, 2)], distinct: 16)"));

    let place = Place::with_library("pig");
    for agent in [
        "expectimax(distinct: 2)",
        "expectimax(empty: [(4, 2)])",
        "expectimax",
        "minimax",
        "expectimax(value: rows)",
        "minimax(value: rows)",
    ] {
        told += &place.sh(format!("eval --game pig --agent '{agent}'")).err;
    }
    assert_snapshot!(told);
}

#[test]
fn a_value_that_estimates_actions_is_refused() {
    let place = Place::new();
    let learner = "tc-ntuple(network: \"01\", learns: \"actions\")";
    place.done(format!("train --game '{GAME}' --agent '{learner}' --moves 1k --model a.model"));
    let mut lines = String::new();
    for search in ["expectimax(value", "minimax(value", "expectimax(exact"] {
        let value = "tc-ntuple(learns: \"actions\", model: \"a.model\")";
        lines += &format!("think --game '{GAME}' --agent '{search}: {value})'\n");
    }
    assert_snapshot!(place.transcript(&lines));
}

/// Ratings are never exact.
#[test]
fn an_exact_value_without_effect_is_refused() {
    assert_snapshot!(refusals(&[("expectimax", "depth: 1, exact", &["rows", "smooth"])]));
}

/// More memory than any machine has, but representable.
#[test]
fn memory_that_the_machine_does_not_have_is_refused() {
    let told =
        refusals(&[("expectimax", "table", &["\"10000T\""]), ("mcts", "memory", &["\"10000T\""])]);
    assert_eq!(told.matches("more memory than there is").count(), 2, "{told}");
}

/// The statistics of an action are its visits and its mean return.
#[test]
fn think_shows_what_a_sampling_search_found() {
    let place = Place::new();
    let found = place.json(think("mcts(simulations: 200)"));
    assert_eq!(found["values"].as_array().unwrap().len(), 4, "{found}");
    assert_eq!(found["facts"]["simulations"], 200, "{found}");
    assert!(found["facts"]["visits"].as_str().unwrap().contains("up "), "{found}");
    let found = place.json(think("pure-monte-carlo(playouts: 30)"));
    assert_eq!(found["facts"]["playouts"], 120, "{found}");
}
