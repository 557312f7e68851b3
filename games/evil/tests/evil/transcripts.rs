//! Compares the game with its golden transcripts.

use crate::host;

use std::sync::Arc;

#[test]
fn transcripts_agree() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/transcripts");
    runner_laws::transcript::assert_matches_with::<game_evil::Evil>(folder, Arc::new(host::Games));
}
