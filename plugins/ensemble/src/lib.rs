//! Values that are made of other values, as a plugin.
#![deny(unsafe_code)]

use agent_ensemble::{Mean, Staged};

runner_plugin::export_plugin! { values: [Mean, Staged] }
