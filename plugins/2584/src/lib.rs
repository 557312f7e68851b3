//! 2584 as a plugin.
#![deny(unsafe_code)]

use game_2584::Game2584;

runner_plugin::export_plugin! { games: [Game2584] }
