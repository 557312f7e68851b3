//! `runner endgame`: tables of sub-games are built, interrupted, listed and probed; errors.

use crate::harness::fields;
use crate::harness::place::Place;
use crate::harness::transcript::assert_snapshot;
use std::fs;

/// Six free cells.
const SMALL: &str = "(name: \"small\", large: \"####/####/##*./....\", goal: 64)";
/// Five free cells of nine.
const CORNER: &str = "(name: \"corner\", large: \"###/#*./...\", goal: 32)";

/// Returns a folder with a small pattern.
fn place() -> Place {
    let place = Place::new();
    fs::write(place.path("small.ron"), SMALL).unwrap();
    place
}

/// Returns a folder with the table of the small pattern.
fn with_table() -> Place {
    let place = place();
    place.done("endgame build small.ron --out small.table");
    place
}

#[test]
fn documents_of_tables_have_the_fields_of_the_contract() {
    let place = place();
    let built = place.json("endgame build small.ron --threads 2");
    let expected = "bytes file game listing_seconds pattern positions threads valuing_seconds";
    assert_eq!(fields(&built), expected);
    let listed = place.json("endgame list");
    assert_eq!(fields(&listed), "folder patterns tables unfinished");
    let table = &listed["tables"][0];
    assert_eq!(fields(table), "bytes file game goal positions table");
    assert_eq!((&table["positions"], &table["bytes"]), (&built["positions"], &built["bytes"]));
}

#[test]
fn a_value_says_which_table_answered() {
    let place = Place::new();
    fs::write(place.path("corner.ron"), CORNER).unwrap();
    let game = "--game '2048(rows: 3, cols: 3)'";
    place.done(format!("endgame build corner.ron {game} --out a.table"));
    let state = "--state 256,128,64/512,16,8/2,0,4";
    let probed = place.json(format!("endgame probe a.table {game} {state}"));
    let best = probed["tables"][0]["best"].clone();
    let moves = probed["tables"][0]["moves"].as_array().unwrap();
    let probability = moves.iter().find(|moved| moved["action"] == best).unwrap()["value"].as_f64();
    assert!(probability.is_some_and(|probability| 0.5 < probability && probability < 1.0));
    let agent = |table: &str| {
        let value = format!("endgame(tables: \"{table}\", value: rows)");
        format!("{game} --agent 'expectimax(depth: 2, value: {value})'")
    };
    let thought = place.json(format!("think {} {state}", agent("a.table")));
    assert_eq!(thought["action"], best, "{thought}");
    assert_eq!(thought["facts"]["endgame table"], "a.table", "{thought}");
    let shown = thought["facts"]["probability of 32"].as_f64();
    let difference = shown.unwrap() - probability.unwrap();
    assert!(difference.abs() < 1e-6, "{thought} of {probed}");
    assert_eq!(place.json(format!("eval {} --games 5", agent("a.table")))["games"], 5);
    let refused = place.sh(format!("eval {} --games 5", agent("L3-512")));
    assert_eq!(refused.code, Some(2), "{refused:?}");
    for part in ["there is no table `L3-512`", "`runner endgame build L3-512` makes it"] {
        assert!(refused.error().contains(part), "{part}: {refused:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_build_that_a_full_disk_stops_continues_to_the_same_file() {
    use runner_files::FileLock;

    let place = with_table();
    let build = "endgame build small.ron --out a.table";
    // Each layer fits, and the table does not.
    let full = place.on_full_disk(40, build);
    assert_eq!(full.code, Some(1), "{full:?}");
    for part in ["cannot write a.table: File too large", "continue with: ", build] {
        assert!(full.error().contains(part), "{part}: {full:?}");
    }
    assert!(place.names_in("a.table.building").len() > 3);
    let mut told =
        place.transcript("endgame build small.ron --game '2048(four: 0.2)' --out a.table");
    let lock = FileLock::acquire(&place.path("a.table.building/pattern.ron")).unwrap();
    told += &place.transcript(build);
    drop(lock);
    assert_snapshot!(told);
    place.done(build);
    let read = |name: &str| fs::read(place.path(name)).unwrap();
    assert!(read("a.table") == read("small.table"));
    assert_eq!(place.names(), ["a.table", "small.ron", "small.table"]);
}
