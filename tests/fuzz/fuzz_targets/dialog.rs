//! The answers of a program that plays, and the requests of one that drives a game, are read or
//! refused.
#![no_main]

use game_2048::{Config, Game2048};
use libfuzzer_sys::fuzz_target;
use runner_core::{Game, Seed};
use runner_protocol::{drive, read_action};
use std::sync::LazyLock;

static GAME: LazyLock<Game2048> = LazyLock::new(|| Game2048::new(Config::default()).unwrap());

fuzz_target!(|data: &[u8]| {
    let game = &*GAME;
    if let Ok(answer) = serde_json::from_slice(data) {
        let _ = read_action(&answer, game.description());
    }
    let _ = drive(game, "2048", Seed(1), data, std::io::sink());
});
