//! Speed of 2048 on one core, beside the slow reference in the same run.
//!
//!     taskset -c 0 cargo bench -p game-2048 --bench speed

#[path = "../tests/reference/mod.rs"]
mod reference;

use game_2048::{Config, Game2048};
use game_reference::speed;
use reference::reference;

fn main() {
    let pairs = [(4, 4), (3, 3), (5, 5)].map(|(rows, cols)| {
        let config = Config { rows, cols, ..Config::default() };
        let game = Game2048::new(config.clone()).expect("the parameters are valid");
        let slow = reference(&game, &config);
        (format!("{rows}x{cols}"), game, slow)
    });
    speed::report(&pairs);
    println!("Rerun: taskset -c 0 cargo bench -p game-2048 --bench speed");
}
