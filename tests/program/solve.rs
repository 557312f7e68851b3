//! `runner solve` and play by its tables: values, JSON fields, errors, interrupts, damaged
//! files.

use crate::harness::place::Place;
#[cfg(target_os = "linux")]
use crate::harness::signals::{await_listening, interrupt};
use crate::harness::transcript::assert_snapshot;
use crate::harness::transcript::timeless;
use crate::harness::{Ran, command, run, text};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

const SMALL: &str = "2048(rows: 2, cols: 3)";

#[track_caller]
fn solved(more: &[&str]) -> Ran {
    run(&[&["solve", "--game", SMALL][..], more].concat()).success()
}

/// Checks that a command fails with this exit code and an error with these parts.
#[track_caller]
fn refused(arguments: &[&str], code: i32, expected: &[&str]) -> Ran {
    let refused = run(arguments);
    assert_eq!((refused.code, refused.out.as_str()), (Some(code), ""), "{refused:?}");
    let error = refused.error();
    println!("{arguments:?}: {error}");
    for part in expected {
        assert!(error.contains(part), "expected {part:?} in {error:?} for {arguments:?}");
    }
    refused
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn json_of_a_solve_has_the_documented_fields() {
    let whole = solved(&["--json"]);
    assert_eq!((whole.err.as_str(), whole.out.lines().count()), ("", 1), "{whole:?}");
    let whole = whole.json();
    assert_eq!(keys(&whole), ["game", "seconds", "states", "value"]);
    assert_eq!(whole["states"], 21_752);
    assert!((whole["value"].as_f64().unwrap() - 480.258_271_775_958).abs() < 1e-9, "{whole}");
    assert!(whole["game"].as_str().unwrap().starts_with("2048(rows: 2, cols: 3, four: 0.1"));

    let with_state = solved(&["--json", "--state", "2,0,2/4,0,0", "--threads", "3"]).json();
    assert_eq!(with_state["value"], whole["value"]);
    let state = &with_state["state"];
    assert_eq!(keys(state), ["action", "text", "value"]);
    assert_eq!(state["text"], "2,0,2/4,0,0");
    let actions = ["up", "right", "down", "left"];
    assert!(actions.contains(&state["action"].as_str().unwrap()), "{state}");
    assert!(state["value"].as_f64().unwrap() > 400.0, "{state}");

    let over = solved(&["--json", "--state", "2,4,2/4,2,4"]).json();
    assert_eq!((&over["state"]["value"], &over["state"]["action"]), (&0.0.into(), &Value::Null));
}

#[test]
fn text_of_a_solve_fits_80_columns_and_names_each_value() {
    let printed = solved(&["--state", "2,0,2/4,0,0"]).out;
    assert!(printed.lines().all(|line| line.chars().count() <= 80), "{printed}");
    assert_snapshot!(timeless(&printed));
}

#[test]
fn wrong_parameters_and_impossible_positions_are_rejected() {
    let threes = "threes(rows: 2, cols: 3, bag: 1, bonus: false)";
    let mut lines = "solve --game '2048(rows: 9)'
        solve --game '2048(four: 1.5)'
        solve --game 'threes(top: 100)'
        solve --game 'threes(bag: 0)'
        solve --game '1024(two: -0.5)'
        solve --game '2048(rows: 2)' --memory much
        solve --game '2048(rows: 2)' --memory 0
        solve --game '2048(rows: 2)' --threads 0\n"
        .to_owned();
    for (game, state) in [
        (SMALL, "2,0,3/0,0,0"),
        (SMALL, "2,0,2,0/0,0,0"),
        (SMALL, "2,0/0,0,0"),
        (SMALL, "2,0,0/0,0,0/0,0,0"),
        (SMALL, "2,0,0"),
        (SMALL, "2,0,0/0,0,0 and"),
        (SMALL, ""),
        (threes, "1,2,3/0,0,0 next=1 bag=2,1,1"),
        (threes, "1,2,3/0,0,0 next=1 bag=1,1"),
        (threes, "1,2,3/0,0,0 next=4 bag=0,1,1"),
        (threes, "1,2,3/0,0,0 next=bonus bag=0,1,1"),
        (threes, "1,2,4/0,0,0 next=1 bag=0,1,1"),
        (threes, "1,2,3/0,0,0 next=1"),
    ] {
        lines += &format!("solve --game '{game}' --state '{state}'\n");
    }
    let told = Place::new().transcript(&lines);
    // `perft` refuses the same positions alike.
    let perft = Place::new().transcript(&lines.replace("solve --game", "perft --depth 1 --game"));
    let refusals = |text: &str| {
        let wrong = text.split("$ runner ").filter(|part| part.contains("the position is not"));
        wrong.map(|part| part.split_once('\n').unwrap().1.to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(refusals(&told), refusals(&perft));
    assert_snapshot!(told);
}

#[test]
fn game_that_exceeds_the_memory_limit_is_rejected_with_the_limit() {
    let expected = ["is too large", "states were found up to layer", "at least", "20.0 MiB"];
    refused(
        &["solve", "--game", "2048"],
        2,
        &["has more than 1,000,000,000 states by an estimate", "--large"],
    );
    refused(&["solve", "--game", "2048", "--memory", "20M", "--large"], 1, &expected);
    let more = [&expected[..2], &["--memory"]].concat();
    refused(&["solve", "--game", "threes(rows: 3, cols: 3)", "--memory", "30MiB"], 1, &more);
    let unlisted = "threes(rows: 4, cols: 4)";
    refused(&["solve", "--game", unlisted, "--memory", "20M"], 2, &["--state"]);
}

#[test]
fn unwritable_table_is_rejected_before_the_solve() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("no/table");
    let solve = |path: &Path, expected: &[&str]| {
        let arguments = ["solve", "--game", "2048", "--memory", "20M", "--out", text(path)];
        // The game is too large too, but that would be found later.
        refused(&arguments, 1, &[&[text(path)], expected].concat());
    };
    solve(&missing, &["make its folder first"]);
    solve(folder.path(), &["it is a folder"]);
}

/// Solves the small game and returns the path of its table.
fn table(folder: &Path) -> String {
    let path = folder.join("small.exact");
    let saved = solved(&["--out", text(&path), "--json"]);
    let line = saved.only_line("table: 14,883 positions");
    assert!(line.contains(&format!("--agent 'exact(model: \"{}\")'", text(&path))), "{line}");
    text(&path).to_owned()
}

#[test]
fn table_plays_its_game_and_is_rejected_for_others_or_when_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let path = table(folder.path());
    let agent = format!("exact(model: \"{path}\")");
    let eval = |game: &'static str, agent: &str| {
        run(&["eval", "--game", game, "--agent", agent, "--games", "300", "--json"])
    };
    let played = eval(SMALL, &agent).json();
    assert_eq!(played["faults"], 0);
    assert!(played["score"]["mean"].as_f64().unwrap() > 400.0, "{played}");

    // Every parameter of the game must be equal.
    for other in ["2048(rows: 2, cols: 3, four: 0.2)", "2048", "1024(rows: 2, cols: 3)"] {
        let arguments = ["eval", "--game", other, "--agent", &agent];
        refused(
            &arguments,
            2,
            &["`model`", &path, "was solved for the game 2048(rows: 2, cols: 3, four: 0.1"],
        );
    }
    let arguments = ["eval", "--game", SMALL, "--agent", "exact"];
    refused(&arguments, 2, &["exact(model: \"FILE\")", "runner solve"]);
    let arguments = ["eval", "--game", SMALL, "--agent", "exact(model: \"no.exact\")"];
    refused(&arguments, 2, &["cannot read no.exact", "No such file"]);

    let whole = fs::read(&path).unwrap();
    for (bytes, expected) in [
        (whole[..whole.len() / 2].to_vec(), "is truncated"),
        (
            [&whole[..whole.len() / 2], &[!whole[whole.len() / 2]], &whole[whole.len() / 2 + 1..]]
                .concat(),
            "is damaged",
        ),
        (b"(model: 1)".to_vec(), "is not a model or table of this program"),
        (Vec::new(), "is not a model or table of this program"),
    ] {
        fs::write(&path, bytes).unwrap();
        refused(&["eval", "--game", SMALL, "--agent", &agent], 2, &[&path, expected]);
    }
}

#[test]
fn doctor_says_that_exact_needs_a_table() {
    let examined = run(&["plugins", "doctor", "exact"]).success();
    for line in examined.out.lines() {
        assert!(line.starts_with("--  value exact on "), "{line}");
        assert!(line.contains("not tested: ") && line.contains("exact(model: \"FILE\")"), "{line}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn interrupted_solve_keeps_the_existing_table() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table");
    fs::write(&path, "of an earlier solve").unwrap();
    let arguments = ["solve", "--game", "2048(rows: 3, cols: 3)", "--force", "--out", text(&path)];
    let mut solve = command(&arguments);
    let child = solve.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    await_listening(&child, || true);
    std::thread::sleep(Duration::from_millis(200));
    interrupt(&child);
    let stopped = Ran::from(child.wait_with_output().unwrap()).without_a_panic();
    assert_eq!((stopped.code, stopped.out.as_str()), (Some(130), ""), "{stopped:?}");
    assert!(stopped.err.contains("interrupted: nothing is saved"), "{stopped:?}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "of an earlier solve");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "a temporary file is left");
}
