//! Expectimax as a plugin.
#![deny(unsafe_code)]

use agent_expectimax::Expectimax;

runner_plugin::export_plugin! { agents: [Expectimax] }
