//! The greedy agent as a plugin.
#![deny(unsafe_code)]

use agent_greedy::Greedy;

runner_plugin::export_plugin! { agents: [Greedy] }
