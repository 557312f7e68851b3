//! Plugins that wrap games and agents, played by the program from their library.

use crate::harness::place::Place;
use serde_json::Value;

fn result(game: &str, agent: &str) -> Value {
    let place = Place::with_library("test_working");
    let result = place.json(format!("eval --game '{game}' --agent '{agent}' --games 50"));
    assert_eq!((&result["games"], &result["faults"]), (&50.into(), &0.into()), "{result}");
    result
}

const SMALL: &str = "2048(rows: 2, cols: 3)";

#[test]
fn wrapped_games_and_agents_are_played_from_their_library() {
    let wrapped = format!("without(game: {SMALL}, action: 0)");
    // An agent, a value that plays greedily, and a search: each sees the rules.
    for agent in ["greedy", "rows", "expectimax(depth: 2)"] {
        let (plain, without) = (result(SMALL, agent), result(&wrapped, agent));
        assert_ne!(plain["score"], without["score"], "{agent}");
    }
    let alternate = result(SMALL, "alternate(agents: [rows])");
    assert_eq!(alternate["score"], result(SMALL, "rows")["score"], "a value plays greedily");
}
