//! Compares perft counts with `perft.txt`, which the slow reference generates. To regenerate
//! it after a change of the rules or of its positions:
//!
//!     RUNNER_BLESS=1 cargo test -p game-threes --test perft

mod reference;

use game_reference::perft;
use reference::Reference;

#[test]
fn perft_counts_agree_with_the_file() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/perft.txt");
    perft::assert_counts(path, Reference::of::<game_threes::Threes>);
}
