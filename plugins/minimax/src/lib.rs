//! Minimax as a plugin.
#![deny(unsafe_code)]

use agent_minimax::Minimax;

runner_plugin::export_plugin! { agents: [Minimax] }
