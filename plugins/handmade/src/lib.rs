//! Players of boards by rules of thumb, as a plugin.
#![deny(unsafe_code)]

use agent_handmade::{CornerModel, GreedyMerges};

runner_plugin::export_plugin! { agents: [CornerModel, GreedyMerges] }
