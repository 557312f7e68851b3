//! The players without training as a plugin library: searches, heuristics, tables and programs.
#![deny(unsafe_code)]

use agent_baselines::heuristics::{Alpha, Beta, Rows, Smooth, SnakeExp, SnakePaths};
use agent_baselines::{CornerModel, Greedy, GreedyMerges, Minimax, PureMonteCarlo, RandomAgent};
use agent_expectimax::Expectimax;
use agent_mcts::Mcts;
use agent_process::Process;
use agent_tables::Exact;

runner_plugin::export_plugin! {
    values: [Alpha, Beta, Exact, Rows, Smooth, SnakeExp, SnakePaths],
    agents: [
        CornerModel, Expectimax, Greedy, GreedyMerges, Mcts, Minimax, Process, PureMonteCarlo,
        RandomAgent,
    ],
}
