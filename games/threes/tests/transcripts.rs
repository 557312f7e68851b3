//! Whole games that are on file, move by move.

#[test]
fn the_game_plays_as_its_transcripts_say() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/transcripts");
    runner_laws::transcript::assert_matches::<game_threes::Threes>(folder);
}
