//! Every plugin library of this repository, linked in: what a program has that finds no
//! library.
#![forbid(unsafe_code)]

use agent_ntuple::Trained;
use runner_plugin::RootRef;

/// The contents of the libraries.
#[must_use]
pub fn plugins() -> Vec<RootRef> {
    vec![
        runner_plugin_games::plugin(),
        runner_plugin_neural::plugin(),
        runner_plugin_ntuple::plugin(),
        runner_plugin_players::plugin(),
        runner_plugin_searches::plugin(),
    ]
}

/// A game for examples in messages.
pub const EXAMPLE_GAME: &str = "2048";
/// A game with few enough positions for a table.
pub const SMALL_GAME: &str = "2048(rows: 2, cols: 2)";

/// Returns the spec of the strongest player of a game that needs no training, and its description.
/// `game` is the complete spec.
#[must_use]
pub fn strong_agent(game: &str) -> (&'static str, &'static str) {
    if !Trained::games().any(|trained| trained == game) {
        return (
            "expectimax(depth: 2)",
            "a search without training, because no trained network comes with the program for this \
             game",
        );
    }
    // More than 500 moves per second on one core: a position of Threes has more outcomes.
    let agent = match game.split('(').next() {
        Some("threes") => "expectimax(depth: 3, value: trained)",
        _ => "expectimax(depth: 4, min_probability: 0.01, value: trained)",
    };
    (agent, "a search with the trained network that comes with the program")
}

/// An agent that plays every game.
pub const EXAMPLE_AGENT: &str = "random";
