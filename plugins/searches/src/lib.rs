//! The searches as a plugin library.
#![deny(unsafe_code)]

use agent_expectimax::Expectimax;
use agent_mcts::Mcts;
use agent_minimax::Minimax;
use agent_pure_monte_carlo::PureMonteCarlo;

runner_plugin::export_plugin! { agents: [Expectimax, Mcts, Minimax, PureMonteCarlo] }
