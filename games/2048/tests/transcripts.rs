//! Compares the game with its golden transcripts.

#[test]
fn transcripts_agree() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/transcripts");
    runner_laws::transcript::assert_matches::<game_2048::Game2048>(folder);
}
