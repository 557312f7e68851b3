//! Features of the board: their text, their indices and their learning.

use super::reference::lookup::network_equals_reference;
use super::support::*;

const ALL: &str = "012 large:512 large:2048 empty distinct pairs neighbours";

fn network(text: &str, board: &Geometry) -> Network {
    Network::read(text, board).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn features_equal_their_definition_on_every_board() {
    for (rows, cols, text) in [
        (2, 2, "01 large:1024 distinct pairs"),
        (2, 3, "0134 25! large:256 neighbours empty"),
        (3, 3, "012 pairs distinct"),
        (4, 4, ALL),
        (4, 4, "42-33 large:2048"),
        (5, 5, "(0,1,24) (3)! large:2048 empty distinct pairs neighbours"),
    ] {
        let game = game_2048(rows, cols);
        network_equals_reference(&game, network(text, &board_of(&game)));
    }
    for (rows, cols, text) in [
        (2, 3, "012+next 5! pairs neighbours"),
        (4, 4, "012+next 45 large:384 empty distinct pairs neighbours"),
        (5, 5, "(0,1) large:768 pairs neighbours"),
    ] {
        let game = threes(rows, cols);
        network_equals_reference(&game, network(text, &board_of(&game)));
    }
}

#[test]
fn features_follow_the_actions_and_the_stages() {
    let game = game_2048(4, 4);
    let board = board_of(&game);
    let network = network(ALL, &board);
    network_equals_reference(&game, network.clone().with_actions(4));
    for stages in ["8192 8192+4096", "1@2048 1024@1024 4096", "2^2", "65536@4096 131072"] {
        let stages = Stages::read(stages, &board).unwrap();
        network_equals_reference(&game, network.clone().with_stages(Some(stages)));
    }
}

#[test]
fn the_text_of_features_is_read_back_after_the_tuples() {
    let board = board_of(&game_2048(4, 4));
    let read = network("pairs 012 large:2048  empty 45", &board);
    assert_eq!(read.text(), "012 45 pairs large:2048 empty");
    assert_eq!(network(read.text(), &board), read);
    let lookup = Lookup::new(&read, &board).unwrap();
    let sizes: Vec<_> = lookup.ranges().iter().map(ExactSizeIterator::len).collect();
    assert_eq!(sizes, [4096, 256, 25, 3125, 17]);
    assert_eq!(lookup.per_position(), 8 + 8 + 3);
}

#[test]
fn wrong_features_are_refused_with_the_allowed_words() {
    let refused = |text: &str, board: &Geometry| {
        let error = Network::read(text, board).and_then(|network| Lookup::new(&network, board));
        let error = error.expect_err(text);
        assert_eq!(error.parameter.as_deref(), Some("network"), "{text}");
        error.message
    };
    let board = board_of(&game_2048(4, 4));
    for (text, expected) in [
        ("012 empties", "`large:2048`, `empty`, `distinct`, `pairs`, `neighbours`"),
        ("012 empty+next", "write `empty`"),
        ("012 pairs!", "write `pairs`"),
        ("012 distinct:4", "write `distinct`"),
        ("012 large", "write `large:2048`"),
        ("012 large:", "`` is not a tile"),
        ("012 large:3000", "`3000` is not a tile"),
        ("012 large:0", "tiles go up to 131072"),
        ("012 large:2", "name a larger tile"),
        ("012 large:65536", "reads tiles above 32768 as 32768"),
        ("012 empty empty", "listed twice"),
        ("empty", "at least one tuple"),
    ] {
        let message = refused(text, &board);
        assert!(message.contains(expected), "{text}: {message}");
    }
    let threes = board_of(&threes(4, 4));
    assert!(refused("012 large:2048", &threes).contains("`2048` is not a tile"));
    let many = (0..16).flat_map(|a| (a + 1..16).map(move |b| format!("{a:x}{b:x}!")));
    let many = many.take(64).collect::<Vec<_>>().join(" ");
    assert!(refused(&format!("{many} empty"), &board).contains("maximum is 64"));
}
