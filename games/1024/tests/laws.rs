//! The laws that every game satisfies.

use game_1024::{Config, Game1024};
use runner_core::Probability;

#[test]
fn laws_hold_for_various_parameters() {
    let config = Config::default();
    let certain = |p| Probability::new(p).unwrap();
    for config in [
        config.clone(),
        Config { rows: 2, cols: 2, goal: 16, ..config.clone() },
        Config { rows: 2, cols: 3, start_tiles: 1, ..config.clone() },
        Config { rows: 3, cols: 3, two: certain(0.0), ..config.clone() },
        Config { rows: 4, cols: 3, two: certain(1.0), start_tiles: 12, ..config.clone() },
        Config { rows: 2, cols: 5, two: certain(0.5), ..config.clone() },
        Config { blocked: vec![5, 10], ..config.clone() },
        Config { rows: 3, cols: 3, blocked: vec![4], ..config.clone() },
        Config { rows: 5, cols: 5, blocked: vec![0], ..config },
    ] {
        runner_laws::assert_holds(&Game1024::new(config).unwrap());
    }
}
