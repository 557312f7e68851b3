//! `runner solve` and play by its tables: values, JSON fields, errors, interrupts, damaged
//! files.

use crate::harness::fields;
use crate::harness::place::Place;
use crate::harness::transcript::assert_snapshot;
use std::fs;

const SMALL: &str = "2048(rows: 2, cols: 3)";

#[test]
fn json_of_a_solve_has_the_documented_fields() {
    let place = Place::new();
    let solve = format!("solve --game '{SMALL}'");
    let whole = place.done(format!("{solve} --json"));
    assert_eq!((whole.err.as_str(), whole.out.lines().count()), ("", 1), "{whole:?}");
    let whole = whole.json();
    assert_eq!(fields(&whole), "game seconds states value");
    assert_eq!(whole["states"], 21_752);
    assert!((whole["value"].as_f64().unwrap() - 480.258_271_775_958).abs() < 1e-9, "{whole}");
    assert!(whole["game"].as_str().unwrap().starts_with("2048(rows: 2, cols: 3, four: 0.1"));

    let with_state = place.json(format!("{solve} --state 2,0,2/4,0,0 --threads 3"));
    assert_eq!(with_state["value"], whole["value"]);
    let state = &with_state["state"];
    assert_eq!(fields(state), "action text value");
    assert_eq!(state["text"], "2,0,2/4,0,0");
    let actions = ["up", "right", "down", "left"];
    assert!(actions.contains(&state["action"].as_str().unwrap()), "{state}");
    assert!(state["value"].as_f64().unwrap() > 400.0, "{state}");

    let over = &place.json(format!("{solve} --state 2,4,2/4,2,4"))["state"];
    assert!(over["value"] == 0.0 && over["action"].is_null(), "{over}");
}

/// How many states are found before the memory is full depends on the machine.
#[test]
fn game_that_exceeds_the_memory_limit_is_rejected_with_the_limit() {
    let place = Place::new();
    for (line, expected) in [
        ("--game 2048 --memory 20M --large", "20.0 MiB"),
        ("--game 'threes(rows: 3, cols: 3)' --memory 30MiB", "--memory"),
    ] {
        let refused = place.sh(format!("solve {line}"));
        assert_eq!((refused.code, refused.out.as_str()), (Some(1), ""), "{refused:?}");
        for part in ["is too large", "states were found up to layer", "at least", expected] {
            assert!(refused.error().contains(part), "{part}: {refused:?}");
        }
    }
    assert_snapshot!(place.transcript(
        "solve --game 2048
        solve --game 'threes(rows: 4, cols: 4)' --memory 20M"
    ));
}

#[cfg(target_os = "linux")]
#[test]
fn interrupted_solve_keeps_the_existing_table() {
    use crate::harness::finish;
    use crate::harness::signals::{await_listening, interrupt};

    let place = Place::new();
    fs::write(place.path("table"), "of an earlier solve").unwrap();
    let child = place.start("solve --game '2048(rows: 3, cols: 3)' --force --out table");
    await_listening(&child, || true);
    std::thread::sleep(std::time::Duration::from_millis(200));
    interrupt(&child);
    let stopped = finish(child);
    assert_eq!((stopped.code, stopped.out.as_str()), (Some(130), ""), "{stopped:?}");
    assert!(stopped.err.contains("interrupted: nothing is saved"), "{stopped:?}");
    assert_eq!(place.text("table"), "of an earlier solve");
    assert_eq!(place.names(), ["table"], "no temporary file is left");
}
