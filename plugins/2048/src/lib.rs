//! 2048 as a plugin.
#![deny(unsafe_code)]

use game_2048::Game2048;

runner_plugin::export_plugin! { games: [Game2048] }
