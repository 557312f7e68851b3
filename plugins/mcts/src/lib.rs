//! Monte Carlo tree search as a plugin.
#![deny(unsafe_code)]

use agent_mcts::Mcts;

runner_plugin::export_plugin! { agents: [Mcts] }
