//! `runner endgame`: tables of sub-games are built, interrupted, listed and probed; errors.

use crate::harness::fields;
use crate::harness::place::Place;
use crate::harness::transcript::{assert_snapshot, timeless};
use std::fs;

/// Six free cells.
const SMALL: &str = "(name: \"small\", large: \"####/####/##*./....\", goal: 64)";
/// Five free cells of nine.
const CORNER: &str = "(name: \"corner\", large: \"###/#*./...\", goal: 32)";
/// A position before a move, with tiles from 128 on as large ones.
const BOARD: &str = "128,256,128,256/256,128,256,128/128,256,0,2/0,0,4,8";

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
fn a_table_is_built_listed_described_and_verified() {
    let place = place();
    let built = place.json("endgame build small.ron --threads 2");
    assert_eq!(
        fields(&built),
        "bytes file game listing_seconds pattern positions threads valuing_seconds"
    );
    let built_again = place.done("endgame build small.ron --force");
    let mut told = timeless(&place.printed(&built_again));
    for line in ["list", "info small-64", "verify small-64"] {
        told += &place.transcript(&format!("endgame {line}"));
    }
    assert_snapshot!(told);
    let listed = place.json("endgame list");
    assert_eq!(fields(&listed), "folder patterns tables unfinished");
    let table = &listed["tables"][0];
    assert_eq!(fields(table), "bytes file game goal positions table");
    assert_eq!((&table["table"], &table["goal"]), (&"small-64".into(), &64.into()));
    assert_eq!((&table["positions"], &table["bytes"]), (&built["positions"], &built["bytes"]));
    assert_eq!(
        place.names_in("data/runner/endgame/2048"),
        ["small-64.table"],
        "the folder of the build"
    );
    let info = place.json("endgame info small-64");
    assert_eq!(info[0]["spec"], "small-64", "{info}");
}

#[test]
fn tables_of_all_games_are_listed_or_of_one() {
    let place = place();
    place.done("endgame build small.ron");
    place.done("endgame build small.ron --game 1024");
    fs::create_dir(place.path("data/runner/endgame/1024/small-128.table.building")).unwrap();
    fs::write(place.path("data/runner/endgame/1024/bad-64.table"), "nothing").unwrap();
    let count = |options: &str| {
        let listed = place.json(format!("endgame list {options}"));
        ["tables", "unfinished"].map(|what| listed[what].as_array().unwrap().len())
    };
    assert_eq!((count(""), count("--game 1024")), ([3, 1], [2, 1]));
    assert_eq!((count("--game 2048"), count("--game threes")), ([1, 0], [0, 0]));
    let mut listed = place.done("endgame list");
    let tables = listed.out.find("3 tables").expect("the number of tables");
    listed.out.drain(..tables);
    assert_snapshot!(place.printed(&listed));
}

#[test]
fn moves_of_a_position_have_the_values_of_the_table() {
    let place = with_table();
    let probe = "endgame probe small.table --state";
    let probed = place.json(format!("{probe} '{BOARD}'"));
    assert_eq!(fields(&probed), "game state tables");
    let table = &probed["tables"][0];
    assert_eq!(fields(table), "best moves pattern table");
    let values: Vec<_> = table["moves"].as_array().unwrap().iter().collect();
    assert!(values.iter().any(|moved| moved["value"].as_f64().is_some_and(|value| value > 0.1)));
    let turned = BOARD.split('/').rev().collect::<Vec<_>>().join("/");
    let mirrored = place.json(format!("{probe} '{turned}'"));
    assert_eq!(mirrored["tables"][0]["moves"][0]["value"], table["moves"][2]["value"]);
    assert_snapshot!(place.transcript(&format!(
        "{probe} '{BOARD}'
        {probe} '128,256,128,256/256,128,256,128/128,256,32,32/0,0,0,0'
        {probe} '128,256,128,256/256,128,256,128/128,256,512,256/256,128,256,128'
        {probe} '2,0,0,0/0,0,0,0/0,0,0,0/0,0,2,0'"
    )));
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

#[test]
fn wrong_patterns_are_refused() {
    let place = place();
    let mut told = place.transcript(
        "endgame build L5-512
        endgame build L3-many
        endgame build L3-512 --game threes
        endgame build none.ron",
    );
    let pattern = |large: &str, goal: u32| format!("(name: \"p\", large: {large}, goal: {goal})");
    told += &place.transcript_of_files(
        "p.ron",
        &[
            &pattern("\"###./..../..../....\"", 64),
            "(name: \"../p\", large: \"\", goal: 64)",
            "(name: \"p\", goal: 64)",
        ],
        "endgame build p.ron",
    );
    assert_snapshot!(told);
    assert!(!place.path("data/runner/endgame/2048").exists());
}

#[test]
fn wrong_options_and_places_are_refused_before_the_build() {
    let place = place();
    fs::write(place.path("precious"), "of an earlier build").unwrap();
    let build = "endgame build small.ron --out";
    let told = place.transcript(&format!(
        "{build} precious
        {build} a.table --memory 1k
        endgame build"
    ));
    assert_eq!(place.text("precious"), "of an earlier build");
    assert_eq!(place.names(), ["precious", "small.ron"]);
    assert_snapshot!(told);
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

#[test]
fn tables_that_are_damaged_or_of_another_game_are_refused() {
    let place = with_table();
    let probe = format!("endgame probe small.table --state '{BOARD}'");
    let mut told = place.transcript(&format!(
        "{probe} --game '2048(four: 0.2)'
        endgame probe L3-512 --state '{BOARD}'"
    ));
    let whole = fs::read(place.path("small.table")).unwrap();
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 0xff;
    for damaged in [&whole[..whole.len() / 2], &flipped] {
        fs::write(place.path("small.table"), damaged).unwrap();
        told += &place.transcript(&format!("{probe}\nendgame verify small.table"));
    }
    fs::create_dir_all(place.path("data/runner/endgame/2048")).unwrap();
    fs::write(place.path("data/runner/endgame/2048/bad-64.table"), "nothing").unwrap();
    assert!(place.done("endgame list").out.contains("bad-64"));
    assert_snapshot!(told);
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_build_continues_to_the_same_file() {
    use crate::harness::finish;
    use crate::harness::signals::{await_listening, interrupt};

    let place = Place::new();
    let build = "endgame build snake8-128 --threads 1 --out";
    place.done(format!("{build} whole.table"));
    let child = place.start(format!("{build} a.table"));
    await_listening(&child, || place.path("a.table.building/00008.positions").exists());
    interrupt(&child);
    let stopped = finish(child);
    let continuation = stopped.continuation().to_owned();
    assert!(stopped.err.contains("are in a.table.building"), "{stopped:?}");
    assert!(place.path("a.table.building").exists() && !place.path("a.table").exists());
    place.shell(&continuation).success();
    let read = |name: &str| fs::read(place.path(name)).unwrap();
    assert!(read("a.table") == read("whole.table"));
    assert_eq!(place.names(), ["a.table", "whole.table"]);
}
