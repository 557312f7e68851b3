//! 1024 as a plugin.
#![deny(unsafe_code)]

use game_1024::Game1024;

runner_plugin::export_plugin! { games: [Game1024] }
