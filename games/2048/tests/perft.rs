//! Compares perft counts with `perft.txt`, which the slow reference generates. To regenerate
//! it after a change of the rules or of its positions:
//!
//!     RUNNER_BLESS=1 cargo test -p game-2048 --test perft

mod reference;

use game_reference::perft;
use reference::reference;

#[test]
fn perft_counts_agree_with_the_file() {
    perft::assert_counts(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/perft.txt"), reference);
}
