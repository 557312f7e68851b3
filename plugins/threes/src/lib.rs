//! Threes as a plugin.
#![deny(unsafe_code)]

use game_threes::Threes;

runner_plugin::export_plugin! { games: [Threes] }
