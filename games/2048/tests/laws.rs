//! The laws that every game satisfies.

use game_2048::{Config, Game2048};
use runner_core::Probability;

#[test]
fn laws_hold_for_various_parameters() {
    let config = Config::default();
    let certain = |p| Probability::new(p).unwrap();
    for config in [
        config.clone(),
        Config { rows: 2, cols: 2, goal: 16, ..config.clone() },
        Config { rows: 2, cols: 3, start_tiles: 1, ..config.clone() },
        Config { rows: 3, cols: 3, four: certain(0.0), ..config.clone() },
        Config { rows: 4, cols: 3, four: certain(1.0), start_tiles: 12, ..config.clone() },
        Config { rows: 2, cols: 5, four: certain(0.5), ..config.clone() },
        Config { rows: 5, cols: 5, ..config },
    ] {
        runner_laws::assert_holds(&Game2048::new(config).unwrap());
    }
}
