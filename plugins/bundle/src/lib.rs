//! Every plugin of this repository, linked in: what a program has that finds no
//! library. A new plugin is one line here, and one in this crate's manifest.
#![forbid(unsafe_code)]

use agent_expectimax::{Expectimax, SearchOptions};
use agent_greedy::Greedy;
use agent_heuristics::{Rows, RowsConfig};
use agent_ntuple::{TcConfig, TcNtuple};
use game_2048::{Config, Game2048};
use runner_core::{BuildContext, Game, Host, SingleThread, ValuePlugin};
use runner_laws::workload::{self, Workload};
use runner_plugin::RootRef;
use std::sync::Arc;

/// The plugins.
#[must_use]
pub fn plugins() -> Vec<RootRef> {
    vec![
        runner_plugin_1024::plugin(),
        runner_plugin_2048::plugin(),
        runner_plugin_2584::plugin(),
        runner_plugin_ensemble::plugin(),
        runner_plugin_exact::plugin(),
        runner_plugin_expectimax::plugin(),
        runner_plugin_greedy::plugin(),
        runner_plugin_handmade::plugin(),
        runner_plugin_heuristics::plugin(),
        runner_plugin_minimax::plugin(),
        runner_plugin_ntuple::plugin(),
        runner_plugin_random::plugin(),
        runner_plugin_threes::plugin(),
    ]
}

/// The work of `runner bench` on rules and agent that are compiled together: what
/// the same work on loaded ones is held against.
///
/// # Panics
///
/// Never: the rules' defaults are allowed.
#[must_use]
pub fn workloads() -> Vec<Workload> {
    let game = Arc::new(Game2048::new(Config::default()).expect("the defaults are allowed"));
    let host: Arc<dyn Host> = Arc::new(SingleThread);
    let site = BuildContext { game: game.description(), game_spec: "2048", host: &host };
    let learner =
        || TcNtuple::new(TcConfig::default(), &site).expect("the defaults are allowed on 4 x 4");
    let rows = Rows::new(RowsConfig::default(), &site).expect("the defaults are allowed");
    let rows = Expectimax::with_options(Arc::new(rows), SearchOptions::plies(3), host.clone());
    let tuples =
        Expectimax::with_options(Arc::new(learner()), SearchOptions::plies(2), host.clone());
    vec![
        workload::successors(game.clone()),
        workload::outcomes(game.clone()),
        workload::playouts(game.clone()),
        workload::training(game.clone(), learner()),
        workload::interleaved_games(game.clone(), learner()),
        workload::host_episodes(game.clone(), Greedy),
        workload::decisions("search of rows, 3 plies", game.clone(), rows),
        workload::decisions("search of tc-ntuple, 2 plies", game.clone(), tuples),
    ]
}
