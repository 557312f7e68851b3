//! Every plugin library of this repository, linked in: what a program has that finds no
//! library.
#![forbid(unsafe_code)]

use agent_ntuple::Trained;
use runner_core::Plugin;
use runner_files::Header;
use runner_plugin::RootRef;

/// The contents of the libraries.
#[must_use]
pub fn plugins() -> Vec<RootRef> {
    vec![
        runner_plugin_games::plugin(),
        runner_plugin_neural::plugin(),
        runner_plugin_ntuple::plugin(),
        runner_plugin_players::plugin(),
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

/// Players of a game from the strongest to a beginner: each a spec and its mean score, if that was
/// measured. `game` is the complete spec. The means of 40 to 1,000 games each are in the guide's
/// results.
#[must_use]
pub fn levels(game: &str) -> [(&'static str, Option<u32>); 4] {
    let (strongest, _) = strong_agent(game);
    if !Trained::games().any(|trained| trained == game) {
        return [strongest, "rows", "greedy-merges", "random"].map(|agent| (agent, None));
    }
    let agents = [strongest, "trained", "expectimax(depth: 2)", "greedy-merges"];
    let means = match game.split('(').next() {
        Some("2048") => [483_599, 290_660, 46_900, 3_198].map(Some),
        // The same games with half of the points.
        Some("1024") => [241_800, 145_330, 23_450, 1_599].map(Some),
        Some("threes") => [160_921, 44_617, 13_925, 529].map(Some),
        _ => [None; 4],
    };
    std::array::from_fn(|level| (agents[level], means[level]))
}

/// The chances of large tiles, fitted to games of players: a table for `runner_play::chances`.
pub const CHANCES: &str = include_str!("chances.tsv");

/// The value whose networks come with the program, and the descriptions of these.
pub const TRAINED: (&str, fn() -> Vec<Header>) = (Trained::NAME, Trained::headers);

/// The games that play a network of another game, each before that game.
pub const BORROWING_GAMES: fn() -> Vec<[&'static str; 2]> = Trained::borrowing_games;

/// An agent that plays every game.
pub const EXAMPLE_AGENT: &str = "random";
