//! A position that a game reads is written as a text that reads as the same position.
#![no_main]

use game_1024::Game1024;
use game_2048::Game2048;
use game_threes::Threes;
use libfuzzer_sys::fuzz_target;
use runner_core::Game;
use std::sync::LazyLock;

fn read(game: &impl Game, text: &str) {
    if let Ok(state) = game.parse(text) {
        assert_eq!(game.parse(&game.write(state)), Ok(state));
    }
}

/// The games. Their tables take longer than many inputs.
static GAMES: LazyLock<(Game2048, Game2048, Game1024, Threes)> = LazyLock::new(|| {
    let large = game_2048::Config { rows: 5, cols: 5, ..Default::default() };
    (
        Game2048::new(game_2048::Config::default()).unwrap(),
        Game2048::new(large).unwrap(),
        Game1024::new(game_1024::Config::default()).unwrap(),
        Threes::new(game_threes::Config::default()).unwrap(),
    )
});

fuzz_target!(|text: &str| {
    let (game_2048, large_2048, game_1024, threes) = &*GAMES;
    read(game_2048, text);
    read(large_2048, text);
    read(game_1024, text);
    read(threes, text);
});
