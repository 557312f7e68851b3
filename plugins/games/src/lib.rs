//! The games as a plugin library.
#![deny(unsafe_code)]

runner_plugin::export_plugin! {
    games: [game_1024::Game1024, game_2048::Game2048, game_threes::Threes],
}
