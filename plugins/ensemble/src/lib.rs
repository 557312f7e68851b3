//! The mean of values as a plugin.
#![deny(unsafe_code)]

use agent_ensemble::Mean;

runner_plugin::export_plugin! { values: [Mean] }
