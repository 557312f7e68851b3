//! A game whose chance works against the player, as a plugin.
#![deny(unsafe_code)]

use game_evil::Evil;

runner_plugin::export_plugin! { games: [Evil] }
