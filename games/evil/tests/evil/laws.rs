//! The laws that every game satisfies, and the recorded games.

use crate::host;
use game_evil::Evil;
use runner_core::{GameContext, GamePlugin, Host};
use std::sync::Arc;

#[test]
fn laws_hold_for_various_games_and_probabilities() {
    for spec in [
        "evil(game: 2048(rows: 3, cols: 3), probability: 0.5)",
        "evil(game: 2048(rows: 2, cols: 3), probability: 1)",
        "evil(game: 2048(rows: 2, cols: 2, four: 0.0), probability: 0.1)",
        "evil(game: 2048(rows: 2, cols: 2), probability: 0)",
        "evil(game: threes(rows: 3, cols: 3, bonus_odds: 2), probability: 0.5)",
        "evil(game: threes, probability: 1)",
        "evil(game: evil(game: 2048(rows: 2, cols: 3), probability: 0.5), probability: 0.5)",
    ] {
        let effort = runner_laws::Effort { words: 1_000_000, ..runner_laws::Effort::default() };
        runner_laws::check(&host::game(spec), &effort)
            .unwrap_or_else(|violation| panic!("{spec}: {violation}"));
    }
}

#[test]
fn transcripts_agree() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/transcripts");
    let host: Arc<dyn Host> = Arc::new(host::Games);
    runner_laws::transcript::assert_matches(folder, |config| {
        <Evil as GamePlugin>::new(config, &GameContext { host: &host })
    });
}
