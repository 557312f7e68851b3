//! Tile-downgrading as a plugin.
#![deny(unsafe_code)]

use agent_downgrade::Downgrade;

runner_plugin::export_plugin! { agents: [Downgrade] }
