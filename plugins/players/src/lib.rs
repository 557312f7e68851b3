//! Heuristics and small players as a plugin library.
#![deny(unsafe_code)]

use agent_endgame::Endgame;
use agent_exact::Exact;
use agent_greedy::Greedy;
use agent_handmade::{CornerModel, GreedyMerges};
use agent_heuristics::{Alpha, Beta, Rows, Smooth, SnakeExp, SnakePaths};
use agent_process::Process;
use agent_random::RandomAgent;

runner_plugin::export_plugin! {
    values: [Alpha, Beta, Endgame, Exact, Rows, Smooth, SnakeExp, SnakePaths],
    agents: [CornerModel, Greedy, GreedyMerges, Process, RandomAgent],
}
