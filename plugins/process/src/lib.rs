//! Agents in any language, as a plugin.
#![deny(unsafe_code)]

use agent_process::Process;

runner_plugin::export_plugin! { agents: [Process] }
