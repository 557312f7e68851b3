//! The exact value as a plugin.
#![deny(unsafe_code)]

use agent_exact::Exact;

runner_plugin::export_plugin! { values: [Exact] }
