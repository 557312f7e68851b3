//! Networks: how they are named, read and written, and which weights they find.

#[allow(dead_code)] // Other tests use what this one does not.
mod reference;

use agent_ntuple::network::{Lookup, Network, Place};
use game_2048::Game2048;
use game_threes::Threes;
use runner_core::board::{ExtraField, Geometry};
use runner_core::{Action, Afterstate, Game, Random, Seed};
use std::collections::HashMap;

fn board_of<G: Game>(game: &G) -> Geometry {
    game.description().geometry.clone().unwrap()
}

fn game_2048(rows: usize, cols: usize) -> Game2048 {
    Game2048::new(game_2048::Config { rows, cols, ..Default::default() }).unwrap()
}

fn threes(rows: usize, cols: usize) -> Threes {
    Threes::new(game_threes::Config { rows, cols, ..Default::default() }).unwrap()
}

/// The board of 2048 of this size.
fn board(rows: usize, cols: usize) -> Geometry {
    board_of(&game_2048(rows, cols))
}

#[track_caller]
fn reads(text: &str, board: &Geometry, tuples: &str) {
    let network = Network::read(text, board).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(network.text(), tuples, "{text} on {} x {}", board.rows, board.cols);
    // What is written is read as the same.
    assert_eq!(Network::read(network.text(), board).unwrap(), network);
    assert_eq!(Lookup::new(&network, board).unwrap().weights(), weights(&network, board));
}

/// How many weights these tuples have: 16 for a cell, and as many as a mark has.
fn weights(network: &Network, board: &Geometry) -> usize {
    let table = |tuple: &agent_ntuple::network::Tuple| {
        let extra_fields: usize =
            tuple.extra_fields.iter().map(|&mark| 1 << board.extra_fields[mark].bits).product();
        16usize.pow(tuple.cells.len() as u32) * extra_fields
    };
    network.tuples().iter().map(table).sum()
}

#[test]
fn the_papers_networks_have_the_papers_tuples() {
    let board = board(4, 4);
    reads("42-33", &board, "012345 456789 012456 45689a");
    reads("4x6", &board, "012345 456789 012456 45689a");
    reads("4-22", &board, "0123 4567 0145 1256 569a");
    reads("42-33-4-22", &board, "012345 456789 012456 45689a 0123 4567 0145 1256 569a");
    reads("42-33-4-22-3", &board, "012345 456789 012456 45689a 0123 4567 0145 1256 569a 012 456");
    reads("421-43", &board, "0123458 456789c 0123456 456789a");
    reads("shape:3", &board, "012 456");
}

#[test]
fn the_fields_networks_have_their_tuples() {
    let board = board(4, 4);
    reads("5x6", &board, "012345 456789 89abcd 012456 45689a");
    reads("6x6", &board, "012456 456789 012345 234569 01259a 345678");
    reads("7x6", &board, "012456 456789 012345 234569 01259a 345678 134567");
    reads("8x6", &board, "012456 456789 012345 234569 01259a 345678 134567 01489a");
    reads(
        "17x4",
        &board,
        "0123! 4567! 89ab! cdef! 048c! 159d! 26ae! 37bf! \
         0145! 1256! 2367! 4589! 569a! 67ab! 89cd! 9ade! abef!",
    );
}

#[test]
fn shapes_stand_both_ways_on_a_rectangle() {
    reads("shape:33", &board(2, 3), "012345");
    reads("shape:2", &board(2, 3), "01 03 14");
    reads("shape:3", &board(3, 2), "024");
    reads("42-33", &board(2, 4), "012345 012456");
    reads("42-33", &board(2, 5), "012356 123467 012567 123678");
    reads("42-33", &board(3, 4), "012345 456789 012456 014589 12569a");
}

#[test]
fn large_boards_number_their_cells() {
    let tuples = "(0,1,2,5,6,7) (1,2,3,6,7,8) (5,6,7,10,11,12) (6,7,8,11,12,13)";
    reads("shape:33", &board(5, 5), tuples);
    reads("(6,0,24,1)", &board(5, 5), "(0,1,6,24)");
}

#[test]
fn a_tuple_may_be_written_in_any_order_and_with_any_space() {
    let board = board(4, 4);
    reads("541032", &board, "012345");
    reads("  fE  012!\n34 ", &board, "ef 012! 34");
    reads("(5,4,0) (15)", &board, "045 f");
    let board = board_of(&threes(4, 4));
    reads("3210+next", &board, "0123+next");
    reads("0123+next!", &board, "0123+next!");
    reads("4-22+next", &board, "0123+next 4567+next 0145+next 1256+next 569a+next");
}

/// A row of four above a row of two, and two rows of three, on 5 x 5.
const FIVE: &str = "(0,1,2,3,5,6) (1,2,3,4,6,7) (5,6,7,8,10,11) (6,7,8,9,11,12) \
                    (10,11,12,13,15,16) (11,12,13,14,16,17) \
                    (0,1,2,5,6,7) (1,2,3,6,7,8) (5,6,7,10,11,12) (6,7,8,11,12,13)";

#[test]
fn a_board_has_a_network_where_none_is_named() {
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
        reads(&Network::default_text(&board), &board, tuples);
    }
}

#[track_caller]
fn refuses(text: &str, board: &Geometry, message: &str) {
    let error = Network::read(text, board).expect_err(text);
    assert_eq!(error.message, message, "{text}");
    assert_eq!(error.parameter.as_deref(), Some("network"));
}

#[test]
fn what_is_no_network_is_refused_with_what_is_allowed() {
    let (four, three, five) = (board(4, 4), board(3, 3), board(5, 5));
    refuses("", &four, "a network needs one tuple at least");
    refuses(" \t", &four, "a network needs one tuple at least");
    let none = "is no network: `4x6`, `5x6`, `6x6`, `7x6`, `8x6`, `17x4`, shapes like `42-33`, \
                or cells like";
    for word in ["9x6", "01g", "()", "(1,2", "(1,,2)", "(-1)", "(1,300)", "0é"] {
        refuses(word, &four, &format!("`{word}` {none} `012345`"));
    }
    refuses("!", &four, &format!("`` {none} `012345`"));
    refuses("+next", &board_of(&threes(4, 4)), &format!("`` {none} `012345`"));
    refuses("012345", &five, &format!("`012345` {none} `(0,1,2,5,6)`"));
    refuses("0129", &three, "`0129` has cell 9; the cells of 3 x 3 are 0 to 8");
    refuses("(1,25)", &five, "`(1,25)` has cell 25; the cells of 5 x 5 are 0 to 24");
    refuses("01231", &four, "`01231` has cell 1 twice");
    refuses("0123 012 3210", &four, "the tuple 0123 is there twice");
    refuses("012345678", &four, "`012345678` has more than 8 cells");
    refuses("01234567+next", &board_of(&threes(4, 4)), "`01234567+next` has more than 8 cells");
    refuses("0123+bag", &four, "the game extra_fields nothing as `bag`; it extra_fields: none");
    refuses(
        "0123+bag",
        &board_of(&threes(4, 4)),
        "the game extra_fields nothing as `bag`; it extra_fields: `next`",
    );
    refuses("01+next+next", &board_of(&threes(4, 4)), "`01+next+next` has the mark `next` twice");
    refuses("8x6", &three, "`8x6` is for boards of 4 x 4; `42-33`, or tuples by cells, fit others");
    refuses("42-33", &three, "the shape `42` fits nowhere on 3 x 3");
    assert!(Network::read("17x4", &three).unwrap().tuples().len() == 4);
    refuses(
        "17x4",
        &Geometry { rows: 1, cols: 3, ..three.clone() },
        "`17x4` needs a board with lines or squares of four cells",
    );
    refuses("54-1", &five, "the shape `54` has more than 8 cells");
    for shape in ["4-", "-4", "4-x", "40-4"] {
        let word = shape.split('-').find(|word| word.parse() != Ok(4)).unwrap();
        let meant = "the lengths of its rows are meant, as in `42` or `421`";
        refuses(shape, &four, &format!("`{word}` is no shape: {meant}"));
    }
}

#[test]
fn a_network_that_cannot_be_laid_out_is_refused() {
    let board = board(4, 4);
    let lookup = |text: &str| Lookup::new(&Network::read(text, &board).unwrap(), &board);
    assert_eq!(lookup("01234567").unwrap().weights(), 1 << 32);
    let error = lookup("01234567 0").unwrap_err();
    assert_eq!(error.message, "the network's tables have more than 2^32 weights");
    // All pairs of cells, of which there are 120.
    let pairs: Vec<String> =
        (0..16).flat_map(|a| (a + 1..16).map(move |b| format!("{a:x}{b:x}!"))).collect();
    assert!(lookup(&pairs[..64].join(" ")).is_ok());
    let error = lookup(&pairs[..65].join(" ")).unwrap_err();
    assert_eq!(error.message, "a network may have 64 tuples");
    // A board looks like itself at least.
    let bare = Geometry { symmetries: vec![], ..board.clone() };
    let error = Lookup::new(&Network::read("0123", &bare).unwrap(), &bare).unwrap_err();
    let message = "the game names no symmetry of its board, and the identity always is one";
    assert_eq!(error.message, message);
    // A mark takes space as cells do.
    let extra_fields = vec![ExtraField { name: "bag".to_owned(), bit: 64, bits: 8 }];
    let board = Geometry { extra_fields, ..board };
    let network = Network::read("0123456+bag", &board).unwrap();
    let error = Lookup::new(&network, &board).unwrap_err();
    assert_eq!(error.message, "the network's tables have more than 2^32 weights");
}

/// A position with random ranks in its cells, and random bits for all else that a
/// game with such a board knows.
fn random_position(board: &Geometry, random: &mut Random) -> Afterstate {
    // Few ranks make equal neighbours and symmetric boards, many reach the cap.
    let ranks = [2, 4, board.values.len() as u32][random.below(3) as usize];
    let extras = if board.extra_fields.is_empty() { 0 } else { u128::from(random.word()) << 100 };
    let bits = (0..board.cells())
        .fold(extras, |bits, cell| board.with_rank(bits, cell, random.below(ranks) as u8));
    Afterstate::from_bits(bits)
}

fn places(lookup: &Lookup, position: Afterstate) -> Vec<usize> {
    let mut places = vec![Place::default(); lookup.per_position()];
    lookup.places(position, &mut places);
    places.into_iter().map(Place::index).collect()
}

fn places_for(lookup: &Lookup, position: Afterstate, action: Action) -> Vec<usize> {
    let mut places = vec![Place::default(); lookup.per_position()];
    lookup.places_for(position, action, &mut places, |_| ());
    places.into_iter().map(Place::index).collect()
}

fn finds_what_the_definition_says<G: Game>(game: &G, networks: &[&str]) {
    let board = board_of(game);
    for text in networks {
        finds(game, Network::read(text, &board).unwrap());
    }
}

/// The same for one network, whatever its alphabet is, and for every action if it tells
/// actions apart.
fn finds<G: Game>(game: &G, network: Network) {
    let (board, text) = (board_of(game), network.text().to_owned());
    let mut random = Random::stream(Seed(1), 0);
    let actions = (0..network.actions()).map(|action| Action(action as u8));
    let mut known = HashMap::new();
    for action in actions {
        let lookup = Lookup::new(&network, &board).unwrap();
        let is_free = network.tuples().iter().all(|tuple| !tuple.fixed);
        for _ in 0..500 {
            let position = random_position(&board, &mut random);
            let keys = reference::keys_for(&network, &board, position, action);
            let mut found = places_for(&lookup, position, action);
            if action == Action(0) {
                assert_eq!(found, places(&lookup, position));
            }
            let mut expected: Vec<usize> =
                keys.iter().map(|key| reference::place(&network, &board, key) as usize).collect();
            for (key, &place) in keys.into_iter().zip(&expected) {
                assert!(place < lookup.weights());
                // No two weights share a place.
                assert_eq!(known.entry(place).or_insert_with(|| key.clone()), &key);
            }
            expected.sort_unstable();
            found.sort_unstable();
            assert_eq!(found, expected, "{text}: {position:?}");
            if is_free {
                for symmetry in 0..board.symmetries.len() {
                    let image = game.transform_afterstate(position, symmetry);
                    let action = match network.actions() {
                        1 => action,
                        _ => board.symmetries[symmetry].actions[action.index()],
                    };
                    let mut there = places_for(&lookup, image, action);
                    there.sort_unstable();
                    assert_eq!(there, found, "{text}: {position:?} and {image:?}");
                }
            }
        }
    }
}

#[test]
fn a_lookup_finds_the_weights_that_the_definition_says() {
    finds_what_the_definition_says(&game_2048(2, 2), &["0123", "01 013 03 02! 3!"]);
    finds_what_the_definition_says(&game_2048(2, 3), &["012345", "01 0134 025! 5!"]);
    finds_what_the_definition_says(&game_2048(3, 2), &["012345", "01 0134 025! 5!"]);
    finds_what_the_definition_says(&game_2048(3, 3), &["shape:331 shape:322 33-3", "048 0123456"]);
    finds_what_the_definition_says(&game_2048(3, 4), &["42-33", "0123456 89ab! 5"]);
    finds_what_the_definition_says(
        &game_2048(4, 4),
        &["4x6", "5x6", "6x6", "7x6", "8x6", "17x4", "421-43", "42-33-4-22-3", "89abcdef", "0 f!"],
    );
    finds_what_the_definition_says(&game_2048(2, 5), &["42-33", "(0,9) (3,4,8)!"]);
    finds_what_the_definition_says(
        &game_2048(5, 5),
        &["shape:33", "(0,1,5,6,7,24) (12,13)! (3) (0,4,20,24)"],
    );
}

#[test]
fn a_lookup_tells_marks_apart() {
    finds_what_the_definition_says(&threes(4, 4), &["4x6+next", "0123+next! 012345 5+next"]);
    finds_what_the_definition_says(&threes(2, 3), &["012345+next", "01+next"]);
    finds_what_the_definition_says(&threes(5, 5), &["(0,1,2,5)+next (24)", "shape:33+next"]);
}

/// Networks for boards of every kind: by arithmetic on a word, cell by cell, marked,
/// with tuples that stand in one place.
fn of_every_kind(change: impl Fn(Network, &Geometry) -> Network) {
    let change = |text: &str, board: &Geometry| change(Network::read(text, board).unwrap(), board);
    for (rows, cols, text) in
        [(2, 2, "0123 01 3!"), (2, 3, "0134 25!"), (4, 4, "012 45 f!"), (5, 5, "(0,1,24) (3)!")]
    {
        let game = game_2048(rows, cols);
        finds(&game, change(text, &board_of(&game)));
    }
    for (rows, cols, text) in [(2, 3, "012+next 01 5!"), (4, 4, "012 5+next 01+next!")] {
        let game = threes(rows, cols);
        finds(&game, change(text, &board_of(&game)));
    }
}

#[test]
fn any_number_of_ranks_can_be_told_apart() {
    for ranks in [2, 7, 8, 15, 16, 17, 18] {
        of_every_kind(|network, board| {
            let most = board.values.len().max(16);
            network.with_alphabet(ranks.min(most), board).unwrap()
        });
    }
}

#[test]
fn an_action_is_looked_up_as_what_it_is_on_each_image() {
    for ranks in [8, 16] {
        of_every_kind(|network, board| {
            network.with_alphabet(ranks, board).unwrap().with_actions(4)
        });
    }
}

#[test]
fn an_alphabet_has_no_more_ranks_than_a_game_and_two_at_least() {
    let board = board(4, 4);
    assert_eq!(board.values.len(), 18);
    let network = || Network::read("012345 01", &board).unwrap();
    for ranks in [0, 1, 19, usize::MAX] {
        let error = network().with_alphabet(ranks, &board).unwrap_err();
        let message = format!("2 to 18 ranks can be told apart on this board, and not {ranks}");
        assert_eq!((error.parameter.as_deref(), error.message), (Some("alphabet"), message));
    }
    let weights = |ranks| {
        let network = network().with_alphabet(ranks, &board).unwrap();
        Lookup::new(&network, &board).unwrap().weights()
    };
    assert_eq!([2, 10, 18].map(weights), [64 + 4, 1_000_000 + 100, 34_012_224 + 324]);
    // With few ranks, a game of more than 16 has them all the same.
    let few = Geometry { values: vec![0; 5], ..board.clone() };
    assert!(network().with_alphabet(16, &few).is_ok());
    assert!(network().with_alphabet(17, &few).is_err());
}

#[test]
fn the_greatest_tiles_are_told_apart_where_the_alphabet_has_them() {
    let board = board(4, 4);
    let with = |rank| Afterstate::from_bits(board.with_rank(0, 5, rank));
    for (ranks, apart) in [(16, 0), (17, 1), (18, 2)] {
        let network = Network::read("01 1256", &board).unwrap();
        let network = network.with_alphabet(ranks, &board);
        let lookup = Lookup::new(&network.unwrap(), &board).unwrap();
        // Tiles of 32768, 65536 and 131072.
        let mut seen: Vec<_> = [15, 16, 17].map(|rank| places(&lookup, with(rank))).to_vec();
        seen.dedup();
        assert_eq!(seen.len(), 1 + apart, "{ranks}");
    }
}

#[test]
fn actions_multiply_the_weights() {
    let board = board(4, 4);
    let network = |text: &str| Network::read(text, &board).unwrap().with_actions(4);
    assert_eq!(Lookup::new(&network("0123 01"), &board).unwrap().weights(), 4 * 65_792);
    let error = Lookup::new(&network("01234567"), &board).unwrap_err();
    assert_eq!(error.message, "the network's tables have more than 2^32 weights");
    // A game has to say what an action looks like in a mirror.
    let mut silent = board.clone();
    silent.symmetries[3].actions.pop();
    let error = Lookup::new(&network("01"), &silent).unwrap_err();
    let message = "the game does not say what each action becomes under a symmetry";
    assert_eq!(error.message, message);
    silent.symmetries[3].actions.push(Action(4));
    assert_eq!(Lookup::new(&network("01"), &silent).unwrap_err().message, message);
}

#[test]
fn ranks_above_fifteen_are_taken_for_it() {
    for (rows, cols, network) in [(2, 2, "0123"), (4, 4, "8x6"), (5, 5, "(0,1,6,24)")] {
        let game = game_2048(rows, cols);
        let board = board_of(&game);
        let lookup = Lookup::new(&Network::read(network, &board).unwrap(), &board).unwrap();
        let mut random = Random::stream(Seed(2), 0);
        for _ in 0..200 {
            let position = random_position(&board, &mut random).bits();
            let capped = (0..board.cells()).fold(position, |bits, cell| {
                board.with_rank(bits, cell, board.rank(bits, cell).min(15))
            });
            let [one, other] = [position, capped].map(Afterstate::from_bits);
            assert_eq!(places(&lookup, one), places(&lookup, other));
        }
    }
}
