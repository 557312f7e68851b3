//! Every plugin library of this repository, linked in: what a program has that finds no
//! library.
#![forbid(unsafe_code)]

use agent_expectimax::{Expectimax, SearchOptions};
use agent_greedy::Greedy;
use agent_heuristics::{Rows, RowsConfig};
use agent_ntuple::{TcConfig, TcNtuple, Trained};
use game_2048::{Config, Game2048};
use runner_core::{BuildContext, Game, Host, SingleThread, ValuePlugin};
use runner_laws::workload::{self, LinkedTask, LinkedTasks, Task};
use runner_plugin::RootRef;
use std::sync::Arc;

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

/// Returns the tasks of `runner bench`: each with its workload on a game and a player that
/// are compiled together, which loaded plugins are compared with.
///
/// # Panics
///
/// Never: the default parameters are allowed.
#[must_use]
pub fn tasks() -> LinkedTasks {
    let game = Arc::new(Game2048::new(Config::default()).expect("the defaults are allowed"));
    let host: Arc<dyn Host> = Arc::new(SingleThread);
    let context = BuildContext { game: game.description(), game_spec: EXAMPLE_GAME, host: &host };
    let learner =
        || TcNtuple::new(TcConfig::default(), &context).expect("the defaults are allowed on 4 x 4");
    let rows = Rows::new(RowsConfig::default(), &context).expect("the defaults are allowed");
    let rows = Expectimax::with_options(Arc::new(rows), SearchOptions::plies(3), host.clone());
    let tuples =
        Expectimax::with_options(Arc::new(learner()), SearchOptions::plies(2), host.clone());
    let tasks = [
        (Task::Successors, workload::successors(game.clone())),
        (Task::Outcomes, workload::outcomes(game.clone())),
        (Task::Playouts, workload::playouts(game.clone())),
        (Task::Episodes("greedy"), workload::host_episodes(game.clone(), Greedy)),
        (Task::Training("tc-ntuple"), workload::training(game.clone(), learner())),
        (Task::InterleavedGames("tc-ntuple"), workload::interleaved_games(game.clone(), learner())),
        (
            Task::Decisions("expectimax(depth: 3, value: rows)"),
            workload::decisions(game.clone(), rows),
        ),
        (
            Task::Decisions("expectimax(depth: 2, value: tc-ntuple)"),
            workload::decisions(game.clone(), tuples),
        ),
    ];
    let tasks = tasks.into_iter().map(|(task, workload)| LinkedTask { task, workload });
    LinkedTasks { game: EXAMPLE_GAME, tasks: tasks.collect() }
}
