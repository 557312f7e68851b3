//! The random agent as a plugin.
#![deny(unsafe_code)]

use agent_random::RandomAgent;

runner_plugin::export_plugin! { agents: [RandomAgent] }
