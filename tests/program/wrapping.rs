//! Plugins that wrap games and agents, played by the program from their library.

use crate::harness::place::Place;
use crate::harness::transcript::assert_snapshot;
use serde_json::Value;

fn result(game: &str, agent: &str) -> Value {
    let place = Place::with_library("test_wrap");
    let result = place.json(format!("eval --game '{game}' --agent '{agent}' --games 50"));
    assert_eq!((&result["games"], &result["faults"]), (&50.into(), &0.into()), "{result}");
    result
}

const SMALL: &str = "2048(rows: 2, cols: 3)";

#[test]
fn a_wrapped_game_is_played_by_its_own_rules() {
    let wrapped = format!("without(game: {SMALL}, action: 0)");
    // An agent, a value that plays greedily, and a search: each sees the rules.
    for agent in ["greedy", "rows", "expectimax(depth: 2)"] {
        let (plain, without) = (result(SMALL, agent), result(&wrapped, agent));
        assert_ne!(plain["score"], without["score"], "{agent}");
    }
    // Wrapping once more forbids a second action.
    let twice = result(&format!("without(game: {wrapped}, action: 1)"), "greedy");
    assert_ne!(twice["score"], result(&wrapped, "greedy")["score"]);
}

#[test]
fn an_agent_that_wraps_others_plays_as_they_do() {
    let score = |agent| result(SMALL, agent)["score"].clone();
    assert_eq!(score("alternate(agents: [greedy])"), score("greedy"));
    assert_eq!(score("alternate(agents: [rows])"), score("rows"), "a value that plays greedily");
    let nested = "alternate(agents: [alternate(agents: [greedy]), expectimax(depth: 2)])";
    assert_ne!(score(nested), score("greedy"));
}

#[test]
fn errors_of_wrapped_plugins_name_the_parameter_and_the_cause() {
    assert_snapshot!(Place::with_library("test_wrap").transcript(
        "eval --agent greedy --game 'without(game: 2048(rows: 9))'
        eval --agent greedy --game 'without(game: nothing)'
        eval --agent greedy --game without
        eval --game 2048 --agent 'alternate(agents: [missing])'
        eval --game 2048 --agent alternate"
    ));
}
