//! Counts of whole trees, kept in `perft.txt`: the slow reference made them.
//! After a change of the rules, or with another position in the file:
//!
//!     RUNNER_BLESS=1 cargo test -p game-threes --test perft

mod reference;

use game_reference::perft;
use reference::Reference;

#[test]
fn the_game_has_the_trees_that_are_on_file() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/perft.txt");
    perft::hold(path, Reference::of::<game_threes::Threes>);
}
