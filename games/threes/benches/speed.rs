//! Speed of Threes on one core, beside the slow reference in the same run.
//!
//!     taskset -c 0 cargo bench -p game-threes --bench speed

#[path = "../tests/reference/mod.rs"]
mod reference;

use game_reference::speed;
use game_threes::{Config, Entry, Threes};
use reference::Reference;

fn main() {
    let config = Config::default();
    let pairs = [
        ("4x4", config.clone()),
        ("4x4, far edge", Config { entry: Entry::FarEdge, ..config.clone() }),
        ("2x3", Config { rows: 2, cols: 3, ..config.clone() }),
        ("5x5", Config { rows: 5, cols: 5, ..config }),
    ]
    .map(|(name, config)| {
        let game = Threes::new(config.clone()).expect("the parameters are valid");
        let slow = Reference::of(&game, &config);
        (format!("{name:13}"), game, slow)
    });
    speed::report(&pairs);
    println!("Rerun: taskset -c 0 cargo bench -p game-threes --bench speed");
}
