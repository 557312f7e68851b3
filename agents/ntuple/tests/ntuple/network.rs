//! Networks: parsing, presets, and the indices of a position's weights.

use super::reference::lookup::network_equals_reference;
use super::support::*;
use agent_ntuple_network::{Tuple, default_text};
use runner_core::geometry::ExtraField;

fn board(rows: usize, cols: usize) -> Geometry {
    board_of(&game_2048(rows, cols))
}

#[track_caller]
fn reads(text: &str, board: &Geometry, tuples: &str) {
    let network = Network::read(text, board).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(network.text(), tuples, "{text} on {} x {}", board.rows, board.cols);
    // The text of a network parses to the same network.
    assert_eq!(Network::read(network.text(), board).unwrap(), network);
    assert_eq!(Lookup::new(&network, board).unwrap().weights(), weights(&network, board));
}

/// Returns the number of weights: the product of 16 per cell and 2 per bit of an extra field.
fn weights(network: &Network, board: &Geometry) -> usize {
    let table = |tuple: &Tuple| {
        let extra_fields: usize =
            tuple.extra_fields.iter().map(|&mark| 1 << board.extra_fields[mark].bits).product();
        16usize.pow(tuple.cells.len() as u32) * extra_fields
    };
    network.tuples().iter().map(table).sum()
}

#[test]
fn shapes_and_presets_have_the_published_tuples() {
    let board = board(4, 4);
    // Jaśkowski (2018).
    let (large, small) = ("012345 456789 89abcd 012456 45689a", "0123 4567 0145 1256 569a");
    reads("42-33", &board, large);
    reads("42-33-4-22-3", &board, &format!("{large} {small} 012 456"));
    reads("421-43", &board, "0123458 456789c 0123456 456789a 89abcde");
    reads("shape:3", &board, "012 456");
    let lines = "0123! 4567! 89ab! cdef! 048c! 159d! 26ae! 37bf!";
    let squares = "0145! 1256! 2367! 4589! 569a! 67ab! 89cd! 9ade! abef!";
    reads("17x4", &board, &format!("{lines} {squares}"));
    reads("4x6", &board, "012345 456789 012456 45689a");
    reads("5x6", &board, large);
    // Those of Matsuzaki (2016) begin with each other.
    let eight = "012456 456789 012345 234569 01259a 345678 134567 01489a";
    for (preset, count) in [("6x6", 6), ("7x6", 7), ("8x6", 8)] {
        let tuples: Vec<_> = eight.split(' ').take(count).collect();
        reads(preset, &board, &tuples.join(" "));
    }
}

#[test]
fn shapes_take_both_orientations_on_a_rectangle() {
    reads("shape:33", &board(2, 3), "012345");
    reads("shape:2", &board(2, 3), "01 03 14");
    reads("shape:3", &board(3, 2), "024");
    reads("42-33", &board(2, 4), "012345 012456");
    reads("4x6", &board(2, 4), "012345 012456");
    reads("42-33", &board(2, 5), "012356 123467 012567 123678");
    reads("42-33", &board(3, 4), "012345 456789 012456 014589 12569a");
    // A longer row below a shorter one, lying and standing.
    reads("shape:13", &board(2, 4), "0456 1567");
    reads("shape:13", &board(3, 4), "0456 1567 489a 59ab 0159 126a 237b");
}

#[test]
fn cells_of_large_boards_are_decimal_numbers() {
    let tuples = "(0,1,2,5,6,7) (1,2,3,6,7,8) (5,6,7,10,11,12) (6,7,8,11,12,13)";
    reads("shape:33", &board(5, 5), tuples);
    reads("(6,0,24,1)", &board(5, 5), "(0,1,6,24)");
}

#[test]
fn order_of_cells_and_white_space_do_not_matter() {
    let board = board(4, 4);
    reads("541032", &board, "012345");
    reads("  fE  012!\n34 ", &board, "ef 012! 34");
    reads("(5,4,0) (15)", &board, "045 f");
    let board = board_of(&threes(4, 4));
    reads("3210+next", &board, "0123+next");
    reads("0123+next!", &board, "0123+next!");
    reads("4-22+next", &board, "0123+next 4567+next 0145+next 1256+next 569a+next");
}

const FIVE: &str = "(0,1,2,3,5,6) (1,2,3,4,6,7) (5,6,7,8,10,11) (6,7,8,9,11,12) \
                    (10,11,12,13,15,16) (11,12,13,14,16,17) \
                    (0,1,2,5,6,7) (1,2,3,6,7,8) (5,6,7,10,11,12) (6,7,8,11,12,13)";

#[test]
fn every_board_has_a_default_network() {
    for (rows, cols, tuples) in [
        (2, 2, "0123"),
        (2, 3, "012345"),
        (3, 2, "012345"),
        (3, 3, "0123456 0123467 012345"),
        (4, 4, "012345 456789 012456 45689a"),
        (2, 5, "012356 123467 012567 123678"),
        (3, 4, "012345 456789 012456 014589 12569a"),
        (5, 5, FIVE),
    ] {
        let board = board(rows, cols);
        reads(&default_text(&board), &board, tuples);
    }
    // It reads the announced tile if the tables stay small: 2^31 weights on 3 x 3 are too many.
    for (rows, cols, tuples) in
        [(2, 2, "0123+next"), (2, 3, "012345+next"), (3, 3, "0123456 0123467 012345")]
    {
        let board = board_of(&threes(rows, cols));
        reads(&default_text(&board), &board, tuples);
    }
}

#[track_caller]
fn refuses(text: &str, board: &Geometry, part: &str) {
    let error = Network::read(text, board).expect_err(text);
    assert!(error.message.contains(part), "{text}: {error}");
    assert_eq!(error.parameter.as_deref(), Some("network"));
}

#[test]
fn wrong_networks_are_refused_with_the_reason() {
    let (four, three, five) = (board(4, 4), board(3, 3), board(5, 5));
    refuses("", &four, "at least one tuple");
    refuses(" \t", &four, "at least one tuple");
    for word in ["9x6", "01g", "()", "(1,2", "(1,,2)", "(-1)", "(1,300)", "0é", "!"] {
        refuses(word, &four, "`4x6`, `5x6`, `6x6`, `7x6`, `8x6`, `17x4`");
        refuses(word, &four, "`012345`");
    }
    refuses("+next", &board_of(&threes(4, 4)), "is not a network");
    refuses("012345", &five, "`(0,1,2,5,6)`");
    refuses("0129", &three, "cells 0 to 8");
    refuses("(1,25)", &five, "cells 0 to 24");
    refuses("01231", &four, "cell 1 twice");
    refuses("0123 012 3210", &four, "`0123` is listed twice");
    refuses("012345678", &four, "more than 8 cells");
    refuses("01234567+next", &board_of(&threes(4, 4)), "more than 8 cells");
    refuses("0123+bag", &four, "its fields: none");
    refuses("0123+bag", &board_of(&threes(4, 4)), "its fields: `next`");
    refuses("01+next+next", &board_of(&threes(4, 4)), "`next` twice");
    refuses("8x6", &three, "needs a board of 4 x 4");
    refuses("42-33", &three, "`42` does not fit");
    assert!(Network::read("17x4", &three).unwrap().tuples().len() == 4);
    refuses("17x4", &Geometry { rows: 1, cols: 3, ..three.clone() }, "lines or squares of 4 cells");
    refuses("54-1", &five, "more than 8 cells");
    for shape in ["4-", "-4", "4-x", "40-4"] {
        let word = shape.split('-').find(|word| word.parse() != Ok(4)).unwrap();
        refuses(shape, &four, &format!("`{word}` is not a shape"));
    }
}

#[test]
fn networks_that_are_too_large_are_refused() {
    let board = board(4, 4);
    let lookup = |text: &str| Lookup::new(&Network::read(text, &board).unwrap(), &board);
    assert_eq!(lookup("01234567").unwrap().weights(), 1 << 32);
    let error = lookup("01234567 0").unwrap_err();
    assert_eq!(error.message, "the tables have more than 2^32 weights");
    // All 120 pairs of cells.
    let pairs: Vec<String> =
        (0..16).flat_map(|a| (a + 1..16).map(move |b| format!("{a:x}{b:x}!"))).collect();
    assert!(lookup(&pairs[..64].join(" ")).is_ok());
    let error = lookup(&pairs[..65].join(" ")).unwrap_err();
    assert!(error.message.contains("maximum is 64"), "{error}");
    // A board without the identity among its symmetries.
    let bare = Geometry { symmetries: vec![], ..board.clone() };
    let error = Lookup::new(&Network::read("0123", &bare).unwrap(), &bare).unwrap_err();
    assert!(error.message.contains("identity"), "{error}");
    // Extra fields multiply the weights.
    let extra_fields =
        vec![ExtraField { name: "bag".to_owned(), bit: 64, bits: 8, labels: vec![] }];
    let board = Geometry { extra_fields, ..board };
    let network = Network::read("0123456+bag", &board).unwrap();
    let error = Lookup::new(&network, &board).unwrap_err();
    assert_eq!(error.message, "the tables have more than 2^32 weights");
}

fn lookup_equals_reference<G: Game>(game: &G, networks: &[&str]) {
    let board = board_of(game);
    for text in networks {
        network_equals_reference(game, Network::read(text, &board).unwrap());
    }
}

#[test]
fn lookup_equals_the_definition() {
    lookup_equals_reference(&game_2048(2, 2), &["0123", "01 013 03 02! 3!"]);
    lookup_equals_reference(&game_2048(2, 3), &["012345", "01 0134 025! 5!"]);
    lookup_equals_reference(&game_2048(3, 2), &["012345", "01 0134 025! 5!"]);
    lookup_equals_reference(&game_2048(3, 3), &["shape:331 shape:322 33-3", "048 0123456"]);
    lookup_equals_reference(&game_2048(3, 4), &["42-33", "0123456 89ab! 5"]);
    lookup_equals_reference(
        &game_2048(4, 4),
        &["4x6", "5x6", "6x6", "7x6", "8x6", "17x4", "421-43", "42-33-4-22-3", "89abcdef", "0 f!"],
    );
    lookup_equals_reference(&game_2048(2, 5), &["42-33", "(0,9) (3,4,8)!"]);
    lookup_equals_reference(
        &game_2048(5, 5),
        &["shape:33", "(0,1,5,6,7,24) (12,13)! (3) (0,4,20,24)"],
    );
}

#[test]
fn lookup_distinguishes_extra_fields() {
    lookup_equals_reference(&threes(4, 4), &["4x6+next", "0123+next! 012345 5+next"]);
    lookup_equals_reference(&threes(2, 3), &["012345+next", "01+next"]);
    lookup_equals_reference(&threes(5, 5), &["(0,1,2,5)+next (24)", "shape:33+next"]);
}

/// On every kind of board: up to 4 x 4, larger, with extra fields, with fixed tuples.
#[test]
fn symmetries_map_actions_to_their_tables() {
    fn equals<G: Game>(game: &G, text: &str) {
        let network = Network::read(text, &board_of(game)).unwrap();
        network_equals_reference(game, network.with_actions(4));
    }
    for (rows, cols, text) in
        [(2, 2, "0123 01 3!"), (2, 3, "0134 25!"), (4, 4, "012 45 f!"), (5, 5, "(0,1,24) (3)!")]
    {
        equals(&game_2048(rows, cols), text);
    }
    equals(&threes(2, 3), "012+next 01 5!");
    equals(&threes(4, 4), "012 5+next 01+next!");
}

#[test]
fn tables_per_action_need_mapped_actions_and_room() {
    let board = board(4, 4);
    let network = |text: &str| Network::read(text, &board).unwrap().with_actions(4);
    let error = Lookup::new(&network("01234567"), &board).unwrap_err();
    assert_eq!(error.message, "the tables have more than 2^32 weights");
    // The game must say how a symmetry maps every action.
    let mut silent = board.clone();
    silent.symmetries[3].actions.pop();
    let error = Lookup::new(&network("01"), &silent).unwrap_err();
    assert!(error.message.contains("symmetry"), "{error}");
    silent.symmetries[3].actions.push(Action(4));
    let error = Lookup::new(&network("01"), &silent).unwrap_err();
    assert!(error.message.contains("symmetry"), "{error}");
}

#[test]
fn stages_name_tiles_that_four_bits_do_not_hold() {
    fn equals<G: Game>(game: &G, text: &str, stages: &str) {
        let board = board_of(game);
        let network = Network::read(text, &board).unwrap();
        let stages = Stages::read(stages, &board).unwrap();
        network_equals_reference(game, network.with_stages(Some(stages)));
    }
    for stages in [
        "65536 65536+32768",
        "32768@4096 131072@65536",
        "1@2048 65536 131072",
        "2^3",
        "downgrade@4096",
        "downgrade@4096 16384+8192",
        "downgrade@4096 2^4",
        "downgrade@65536 32768",
    ] {
        equals(&game_2048(4, 4), "012 45 f!", stages);
        equals(&game_2048(2, 3), "012 25!", stages);
        equals(&game_2048(5, 5), "(0,1,24) (3)!", stages);
    }
}
