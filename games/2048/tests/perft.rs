//! Counts of whole trees, kept in `perft.txt`: the slow reference made them.
//!
//! After a change of the rules:
//!
//!     cargo test -p game-2048 --test perft -- --ignored --nocapture print

mod reference;

use game_2048::{Config, Game2048};
use reference::Reference;
use runner_core::{Game, GamePlugin, Outcomes, State, Successors};

const COUNTS: &str = include_str!("perft.txt");

/// A line of the file.
struct Count<'a> {
    rows: usize,
    cols: usize,
    position: &'a str,
    depth: u32,
    count: u64,
}

fn counts() -> impl Iterator<Item = Count<'static>> {
    let lines = COUNTS.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| {
        let [size, position, depth, count] = line.split(' ').collect::<Vec<_>>()[..] else {
            panic!("not size, position, depth, count: {line}");
        };
        let (rows, cols) = size.split_once('x').expect("a size");
        Count {
            rows: rows.parse().expect("rows"),
            cols: cols.parse().expect("columns"),
            position,
            depth: depth.parse().expect("a depth"),
            count: count.parse().expect("a count"),
        }
    })
}

fn perft(game: &Game2048, state: State, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut successors = Successors::new();
    let mut outcomes = Outcomes::with_capacity(game.description().max_outcomes);
    game.successors(state, &mut successors);
    let mut count = 0;
    for successor in successors.iter() {
        game.outcomes(successor.afterstate, &mut outcomes);
        count += outcomes.iter().map(|o| perft(game, o.state, depth - 1)).sum::<u64>();
    }
    count
}

#[test]
fn the_game_has_the_trees_that_are_on_file() {
    let mut seen = 0;
    for Count { rows, cols, position, depth, count } in counts() {
        let game = Game2048::new(Config { rows, cols, ..Config::default() }).unwrap();
        let state = game.parse(position).unwrap();
        assert_eq!(perft(&game, state, depth), count, "{position} to depth {depth}");
        seen += 1;
    }
    assert!(seen >= 40, "the file has lost its counts: {seen} are left");
}

#[test]
fn the_reference_has_the_small_trees_that_are_on_file() {
    for Count { rows, cols, position, depth, count } in counts().filter(|c| c.count < 20_000) {
        let reference = Reference::new(rows, cols, 0.1);
        let board = reference::board(position);
        assert_eq!(reference.perft(&board, depth), count, "{position} to depth {depth}");
    }
}

/// Positions at which something is special.
const POSITIONS: [&str; 17] = [
    // The first moves, on boards of all kinds.
    "2,0/0,2",
    "2,0,0/0,0,2",
    "2,0,0,0,0/0,0,0,0,2",
    "2,0,0/0,0,0/0,0,2",
    "0,2,0,0/0,0,0,0/0,0,4,0",
    "0,0,0,0/0,2,2,0/0,0,0,0/0,0,0,0",
    "0,0,0,0,0/0,2,0,0,0/0,0,0,2,0/0,0,0,0,0/0,0,0,0,0",
    // Merges: four equal tiles make two, not one; the pair at the wall first.
    "2,2,2,2/4,4,8,0/2,2,2,0/0,0,0,0",
    "4,2,2/4,2,2/8,0,8",
    // Nearly over, and over.
    "2,4,8,16/32,64,128,256/2,4,8,16/32,64,128,128",
    "2,4,2,4/4,2,4,2/2,4,2,4/4,2,4,2",
    "2,4/8,16",
    // The greatest tiles, beyond the tables of rows; two of 131072 do not merge.
    "32768,32768,0,0/0,0,0,0/0,0,0,0/0,0,0,0",
    "65536,65536,32768,16384/2,4,8,16/32,64,128,256/2,4,8,16",
    "131072,131072/0,0",
    "131072,65536,65536,32768,32768/2,4,8,16,32/2,4,8,16,32/2,4,8,16,32/4,8,16,32,64",
    // Nothing on the board: nothing can move.
    "0,0,0/0,0,0",
];

#[test]
#[ignore = "prints the file anew"]
fn print() {
    println!("# Size, position, depth, and the number of sequences of (action, chance outcome).");
    for position in POSITIONS {
        let board = reference::board(position);
        let reference = Reference::new(board.len(), board[0].len(), 0.1);
        for depth in 1..=6 {
            let count = reference.perft(&board, depth);
            println!("{}x{} {position} {depth} {count}", reference.rows, reference.cols);
            // The next would be too slow for a test, or is 0 as well.
            if count > 30_000 || count == 0 {
                break;
            }
        }
    }
}
