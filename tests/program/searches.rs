//! The limits of searching agents, and what `think` shows of a search.

use crate::harness::place::Place;

const GAME: &str = "2048(rows: 2, cols: 3)";

/// Returns the command line that thinks on a position of the small board.
fn think(agent: &str) -> String {
    format!("think --game '{GAME}' --agent '{agent}' --state 2,0,0/0,2,0")
}

/// A time limit may exceed what the clock can represent.
#[test]
fn the_longest_time_and_the_smallest_table_are_allowed() {
    for allowed in ["time: \"24h\", depth: 2", "time: \"1ms\"", "table: \"1k\""] {
        let found = Place::new().json(think(&format!("expectimax({allowed})")));
        assert_eq!(found["values"].as_array().unwrap().len(), 4, "{found}");
    }
}

/// More memory than any machine has, but representable.
#[test]
fn memory_that_the_machine_does_not_have_is_refused() {
    for agent in ["expectimax(table: \"10000T\")", "mcts(memory: \"10000T\")"] {
        let refused = Place::new().sh(think(agent));
        assert_eq!((refused.code, refused.out.as_str()), (Some(2), ""), "{refused:?}");
        assert!(refused.err.contains("more memory than there is"), "{refused:?}");
    }
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
