//! A position that a game reads is written as a text that reads as the same position.
#![no_main]

use game_1024::Game1024;
use game_2048::Game2048;
use game_threes::Threes;
use libfuzzer_sys::fuzz_target;
use runner_core::Game;

fn read(game: &impl Game, text: &str) {
    if let Ok(state) = game.parse(text) {
        assert_eq!(game.parse(&game.write(state)), Ok(state));
    }
}

fuzz_target!(|text: &str| {
    let large = game_2048::Config { rows: 5, cols: 5, ..Default::default() };
    read(&Game2048::new(game_2048::Config::default()).unwrap(), text);
    read(&Game2048::new(large).unwrap(), text);
    read(&Game1024::new(game_1024::Config::default()).unwrap(), text);
    read(&Threes::new(game_threes::Config::default()).unwrap(), text);
});
