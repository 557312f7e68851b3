//! The program reports a defective plugin in one line that names its file, and the other
//! plugins continue to work.
//!
//! With `--nocapture` the tests print every message.

use crate::harness::transcript::assert_snapshot;
use crate::harness::{Ran, command, library, ran, run, text};
use runner_plugin::note::FEATURES;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// A small evaluation of plugins without a defect.
const GOOD: [&str; 8] =
    ["eval", "--game", "2048(rows: 2, cols: 2)", "--agent", "greedy", "--games", "3", "--json"];

/// A folder of bad files.
struct Bad(TempDir);

impl Bad {
    fn folder() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.path().join(name);
        fs::write(&path, bytes).expect("a temporary file");
        path
    }
}

/// Checks that a file is refused in one line with this text, that `eval` plays with the
/// other plugins, and that `plugins list` lists them and fails.
#[track_caller]
fn refused(what: &str, file: &Path, expected: &str) -> String {
    refused_in(&[], what, file, expected)
}

/// [`refused`] with these environment variables.
#[track_caller]
fn refused_in(environment: &[(&str, &str)], what: &str, file: &Path, expected: &str) -> String {
    let with_it = |arguments: &[&str]| {
        let arguments = [arguments, &["--plugin-path", text(file)]].concat();
        ran(command(&arguments).envs(environment.iter().copied()))
    };
    let played = with_it(&GOOD);
    let note = played.only_line("note: ").strip_prefix("note: ").unwrap_or_default().to_owned();
    println!("{what}: {note}");
    assert_eq!(played.code, Some(0), "{played:?}");
    assert_eq!(played.json()["games"], 3);
    assert!(note.starts_with(&format!("{}: ", file.display())), "the file first: {note}");
    assert!(note.contains(expected), "{expected:?} is wanted: {note}");
    assert!(note.contains("; ") || note.contains("(see "), "what to do is wanted: {note}");

    let listed = with_it(&["plugins", "list"]);
    assert_eq!(listed.code, Some(1));
    assert!(listed.err.starts_with(&format!("problem: {note}\n")), "{listed:?}");
    assert_eq!(listed.error(), "1 plugin cannot be used");
    for good in ["2048", "greedy", "random"] {
        assert!(listed.out.contains(good), "{good} is wanted: {listed:?}");
    }

    let listed = with_it(&["plugins", "list", "--json"]);
    assert_eq!(listed.code, Some(1));
    let rows = listed.json();
    let (bad, good): (Vec<_>, Vec<_>) =
        rows.as_array().expect("an array").iter().partition(|row| row["status"] == "error");
    assert_eq!(bad.len(), 1, "{rows}");
    assert_eq!((&bad[0]["file"], &bad[0]["error"]), (&text(file).into(), &note.clone().into()));
    assert!(good.iter().any(|row| row["name"] == "2048" && row["status"] == "ok"), "{rows}");
    note
}

#[test]
fn files_that_are_no_libraries_are_refused() {
    let bad = Bad::folder();
    refused("missing", &bad.0.path().join("none.so"), "cannot be read: No such file");
    refused("a text", &bad.file("text.so", b"#!/bin/sh\nexit 0\n"), "is not a shared library");
    refused("empty", &bad.file("empty.so", b""), "it is empty");
    let file = bad.file("file", b"");
    refused("below a file", &file.join("plugins"), "cannot be read: Not a directory");
    #[cfg(unix)]
    {
        refused("a device", Path::new("/dev/null"), "it is not a file");
        let pipe = bad.0.path().join("pipe.so");
        let made = Command::new("mkfifo").arg(&pipe).status();
        if made.is_ok_and(|status| status.success()) {
            refused("a pipe", &pipe, "it is not a file");
        }
    }
}

/// The system's loader would end the process at most of these with a bus error.
#[test]
fn truncated_library_is_refused() {
    let bad = Bad::folder();
    let whole = fs::read(library("runner_plugin_players")).unwrap();
    let n = whole.len();
    for length in [1, 3, 4, 63, 64, 200, n / 10, n / 2, n - n / 10, n - 1] {
        // Without its first four bytes nothing says that it was a library.
        let expected = match length {
            ..4 => "is not a shared library (it does not begin like one)",
            4..64 => "is truncated: its header is incomplete",
            _ => "is truncated: ",
        };
        let file = bad.file("librunner_plugin_cut.so", &whole[..length]);
        refused(&format!("cut at {length} of {n}"), &file, expected);
    }
}

/// A library with other bytes at a place in its note.
fn with_note(bad: &Bad, offset: usize, bytes: &[u8]) -> PathBuf {
    let mut library = fs::read(library("runner_plugin_players")).unwrap();
    let magic = b"runner-plugin-01";
    // The loader has the magic in its code, too; the note is where the version
    // follows.
    let note = [&magic[..], &runner_plugin::abi::ABI_VERSION.to_ne_bytes()].concat();
    let at = library.windows(note.len()).position(|window| window == note).expect("a note");
    library[at + offset..at + offset + bytes.len()].copy_from_slice(bytes);
    bad.file("librunner_plugin_patched.so", &library)
}

/// Offsets of the parts of a note: magic, version, layout, features.
const VERSION: usize = 16;
const LAYOUT: usize = 24;
const FEATURE_BITS: usize = 32;

#[test]
fn a_library_built_against_or_for_something_else_is_refused_by_its_note() {
    let bad = Bad::folder();
    let file = with_note(&bad, 0, b"runner-plugin-99");
    refused("a note of another kind", &file, "has a plugin note that cannot be read");
    for version in [99, 1, 2u32] {
        let file = with_note(&bad, VERSION, &version.to_ne_bytes());
        let expected = format!("is built against version {version} of the plugin ABI");
        refused("another ABI version", &file, &expected);
    }
    let file = with_note(&bad, LAYOUT, &99u64.to_ne_bytes());
    refused("another layout", &file, "is built against another layout of the plugin ABI; rebuild");
    let listed = run(&["plugins", "list", "--verbose", "--plugin-path", text(&file)]);
    assert!(listed.err.contains("the layout hash of the library is 0000000000000063"));
}

#[test]
fn library_named_by_file_and_by_folder_is_loaded_once() {
    let bad = Bad::folder();
    let bytes = fs::read(library("test_rival")).unwrap();
    let file = bad.file("librunner_plugin_given_twice.so", &bytes);
    let once = run(&["plugins", "list", "--json", "--plugin-path", text(&file)]).json();
    for paths in [[text(&file), text(&file)], [text(bad.0.path()), text(&file)]] {
        let flags = ["plugins", "list", "--json", "--plugin-path", paths[0]];
        let arguments = [&flags[..], &["--plugin-path", paths[1]]].concat();
        assert_eq!(run(&arguments).json(), once, "{paths:?}");
        let listed = ran(command(&flags).env("RUNNER_PLUGINS", paths[1]));
        assert_eq!(listed.json(), once, "{paths:?}");
    }
}

#[cfg(target_arch = "x86_64")]
#[test]
fn a_library_built_for_a_processor_that_this_one_is_not_is_refused_by_its_note() {
    let bad = Bad::folder();
    let file = with_note(&bad, FEATURE_BITS, &(1u64 << 63).to_ne_bytes());
    refused("an unknown processor", &file, "with a feature unknown to this runner");
    // New enough that no processor has all of them.
    let rare = [
        ("avx512fp16", is_x86_feature_detected!("avx512fp16")),
        ("avx512f", is_x86_feature_detected!("avx512f")),
        ("sha", is_x86_feature_detected!("sha")),
    ];
    let Some((lacking, _)) = rare.into_iter().find(|(_, has)| !has) else {
        println!("not tested with a known feature: this processor has them all");
        return;
    };
    let bit = FEATURES.iter().position(|&feature| feature == lacking).expect("it is known");
    let file = with_note(&bad, FEATURE_BITS, &(1u64 << bit).to_ne_bytes());
    let expected = format!("is built for a processor with {lacking}, which this one lacks");
    refused("another processor", &file, &expected);
}

#[cfg(target_os = "linux")]
#[test]
fn a_library_that_the_system_refuses_is_refused_by_name() {
    let bad = Bad::folder();
    let whole = fs::read(library("runner_plugin_players")).unwrap();
    // The machine is the two bytes at 18 of an ELF header.
    let mut other = whole.clone();
    let (machine, name): (u16, _) =
        if cfg!(target_arch = "x86_64") { (183, "aarch64") } else { (62, "x86_64") };
    other[18..20].copy_from_slice(&machine.to_le_bytes());
    let file = bad.file("librunner_plugin_other.so", &other);
    refused("another machine", &file, &format!("is built for {name}"));

    let mut needy = whole;
    let needed = b"\0libc.so.6\0";
    let at = needy.windows(needed.len()).position(|window| window == needed).expect("it needs it");
    needy[at + 4] = b'x';
    let file = bad.file("librunner_plugin_needy.so", &needy);
    refused("a library that it needs is missing", &file, "cannot be loaded: libx.so.6");
}

#[test]
fn library_that_is_no_plugin_is_refused() {
    let expected = "is a shared library but no runner plugin";
    refused("no plugin", &library("test_no_root"), expected);
}

/// The report of abi_stable has many lines; `--verbose` prints it.
#[test]
fn root_of_another_layout_is_refused_and_the_report_is_printed_on_demand() {
    let file = library("test_other_layout");
    let note = refused("another layout", &file, "is built against another layout");
    assert!(note.chars().count() - text(&file).len() < 150, "{note}");
    let listed = run(&["plugins", "list", "--verbose", "--plugin-path", text(&file)]);
    assert!(listed.error_lines().len() > 30, "{}", listed.err);
    assert!(listed.err.contains("Layout of found type"));
}

#[test]
fn a_library_that_panics_while_it_lists_its_contents_is_refused() {
    let expected = "failed while it was loaded: the plugin's list of contents panicked: \
                    the list went wrong";
    let fail = [(test_faulty::FAIL_TO_LIST, "1")];
    refused_in(&fail, "panics while listing", &library("test_faulty"), expected);
}

#[test]
fn bad_files_do_not_hide_each_other() {
    let bad = Bad::folder();
    let empty = bad.file("librunner_plugin_empty.so", b"");
    let note = bad.file("librunner_plugin_text.so", b"text");
    bad.file("notes.txt", b"not looked at");
    let folder = text(bad.0.path());
    let list = ["plugins", "list", "--json", "--plugin-path", folder];
    let listed = run(&list);
    assert_eq!(listed.code, Some(1));
    let rows = listed.json();
    let files: Vec<_> = rows.as_array().unwrap().iter().map(|row| row["file"].clone()).collect();
    assert!(files.contains(&text(&empty).into()) && files.contains(&text(&note).into()), "{rows}");
    assert!(rows.as_array().unwrap().iter().any(|row| row["name"] == "random"), "{rows}");
    // The same by the environment.
    let mut by_variable = command(&GOOD);
    let played = ran(by_variable.env("RUNNER_PLUGINS", folder));
    assert_eq!((played.code, played.error_lines().len()), (Some(0), 2), "{played:?}");
}

/// In a folder, a library is recognised by its name: a folder without one is announced.
#[test]
fn folder_of_renamed_libraries_is_announced() {
    let bad = Bad::folder();
    let folder = text(bad.0.path()).to_owned();
    let with_folder = || run(&[&GOOD[..], &["--plugin-path", &folder]].concat());
    bad.file("notes.txt", b"no library");
    assert_eq!(with_folder().err, "");
    fs::copy(library("test_faulty"), bad.0.path().join("mine.so")).unwrap();
    let played = with_folder().success();
    let line = played.only_line("note: ");
    assert!(line.contains("mine.so") && line.contains("librunner_plugin_NAME.so"), "{line}");
}

/// A name that two libraries export identifies neither plugin; other names are not affected.
#[test]
fn names_that_two_libraries_export_are_refused_with_both_files() {
    let (faulty, rival) = (library("test_faulty"), library("test_rival"));
    let both = ["--plugin-path", text(&faulty), "--plugin-path", text(&rival)];
    let game = ["eval", "--game", "2048(rows: 2, cols: 2)", "--games", "3", "--agent"];
    let with = |agent: &str| run(&[&game[..], &[agent], &both[..]].concat());
    for (agent, expected) in [
        ("faulty-agent", vec![text(&faulty), text(&rival), "rename it or remove one"]),
        ("greedy", vec![text(&rival), "is built into this program", "rename it or remove"]),
        ("twice", vec![text(&rival), "exports the agent `twice` twice", "rename one"]),
    ] {
        let refused = with(agent);
        println!("two of a name: {}", refused.error());
        assert_eq!(refused.code, Some(2), "{refused:?}");
        for part in expected {
            assert!(refused.error().contains(part), "{part:?} is wanted: {refused:?}");
        }
    }
    for agent in ["alone", "random", "faulty-value"] {
        let played = with(agent).success();
        assert!(played.error_lines().iter().all(|line| line.starts_with("note: ")), "{played:?}");
    }
    let listed = run(&[&["plugins", "list", "--json"][..], &both].concat());
    assert_eq!(listed.code, Some(1));
    let rows = listed.json();
    let status = |name: &str| {
        let row = rows.as_array().unwrap().iter().find(|row| row["name"] == name);
        row.map_or(Value::Null, |row| row["status"].clone())
    };
    for (name, expected) in
        [("faulty-agent", "error"), ("greedy", "error"), ("twice", "error"), ("alone", "ok")]
    {
        assert_eq!(status(name), expected, "{name} in {rows}");
    }
}

/// Runs the program with the defective plugins.
#[track_caller]
fn with_faulty(arguments: &[&str]) -> Ran {
    run(&[arguments, &["--plugin-path", text(&library("test_faulty"))]].concat())
}

#[track_caller]
fn eval(game: &str, agent: &str, more: &[&str]) -> Ran {
    with_faulty(&[&["eval", "--game", game, "--agent", agent][..], more].concat())
}

/// Returns the only error of a run without a result, with the library's file in it as `FILE`.
#[track_caller]
fn failure(failed: &Ran) -> String {
    assert_eq!((failed.code, failed.out.as_str()), (Some(1), ""), "{failed:?}");
    format!("error: {}", general(failed.error()))
}

/// Returns a line with the library's file in it as `FILE`, and without the places of panics.
fn general(line: &str) -> String {
    let line = line.replace(text(&library("test_faulty")), "FILE");
    let mut parts = line.split(".rs:");
    let first = parts.next().unwrap_or_default().to_owned();
    let rest = parts.map(|part| part.trim_start_matches(|c: char| c.is_ascii_digit()));
    rest.fold(first, |line, part| line + ".rs" + part) + "\n"
}

#[test]
fn faults_of_builders_are_reported_with_the_file() {
    let small = "2048(rows: 2, cols: 2)";
    let players = [
        ("faulty(at: new)", "random"),
        ("faulty(at: no_actions)", "random"),
        ("faulty(at: many_actions)", "random"),
        (small, "faulty-agent(at: new)"),
        (small, "faulty-value(at: new)"),
        // Outside of the games.
        ("faulty", "faulty-agent(at: copy)"),
        ("faulty", "faulty-agent(at: new_task)"),
    ];
    let failures = players.map(|(game, agent)| failure(&eval(game, agent, &["--json"])));
    let perft = ["perft", "--depth", "1", "--json", "--state", "0 fate=1", "--game"];
    let positions = ["faulty(at: write)", "faulty(at: parse)"]
        .map(|game| failure(&with_faulty(&[&perft[..], &[game]].concat())));
    assert_snapshot!(failures.concat() + &positions.concat());
}

#[test]
fn a_game_may_have_64_actions() {
    let played = eval("faulty(at: most_actions)", "random", &["--games", "9", "--json"]);
    assert_eq!((played.code, played.json()["games"].as_u64()), (Some(0), Some(9)), "{played:?}");
}

/// Plays 200 games, some of which end by a fault. They are counted, the others are played, and the
/// result does not depend on the threads. Returns the error.
#[track_caller]
fn some_games_fail(game: &str, agent: &str, more: &[&str]) -> String {
    const GAMES: u64 = 200;
    let play = |threads: &str, format: &[&str]| {
        let flags = ["--games", "200", "--threads", threads];
        eval(game, agent, &[&flags[..], format, more].concat())
    };
    let played = play("1", &["--json"]);
    assert_eq!(played.code, Some(1), "{played:?}");
    let result = played.json();
    let (games, faults) = (result["games"].as_u64().unwrap(), result["faults"].as_u64().unwrap());
    assert!(0 < faults && faults < GAMES, "{faults} faults: {result}");
    assert_eq!(games + faults, GAMES, "{result}");
    assert!(result["score"]["mean"].is_number(), "the other games count: {result}");
    if more.is_empty() {
        let again = play("3", &["--json"]).json();
        for same in ["games", "faults", "moves", "score", "tiles"] {
            assert_eq!(result[same], again[same], "{same} depends on the threads");
        }
        let table = play("2", &[]);
        assert_eq!(table.code, Some(1));
        assert!(table.out.contains(&format!("{faults} games ended by a fault")), "{table:?}");
        assert!(table.out.contains("mean score"), "{table:?}");
    }
    general(played.error())
}

#[test]
fn a_fault_of_the_rules_in_one_game_leaves_the_others() {
    let mut told = String::new();
    for at in ["start", "successors", "crowd", "spawn", "nan_reward"] {
        let game = format!("faulty(at: {at})");
        told += &some_games_fail(&game, "random", &[]);
        told += &some_games_fail(&game, "faulty-value", &[]);
    }
    assert_snapshot!(told);
}

/// A player that fails once in 32 decisions fails in about a third of the games of 14 moves.
#[test]
fn a_fault_of_the_player_in_one_game_leaves_the_others() {
    let agents = ["act", "illegal", "task", "task_fault"]
        .map(|at| some_games_fail("faulty", &format!("faulty-agent(at: {at})"), &[]));
    let value = some_games_fail("2048(rows: 3, cols: 3)", "faulty-value(at: evaluate)", &[]);
    assert_snapshot!(agents.concat() + &value);
}

/// A value plays many games at once, and a fault in one of them ends all. The program plays
/// them again one by one, as it plays all games under a limit, with equal results.
#[test]
fn fault_in_one_interleaved_game_does_not_change_the_others() {
    for (game, value) in [
        ("2048(rows: 3, cols: 3)", "faulty-value(at: evaluate)"),
        ("faulty(at: start)", "faulty-value"),
        ("faulty(at: spawn)", "faulty-value"),
    ] {
        let played = |threads: &str, more: &[&str]| {
            let flags = ["--games", "300", "--threads", threads, "--json"];
            let result = eval(game, value, &[&flags[..], more].concat()).json();
            ["games", "faults", "moves", "score", "tiles"].map(|field| result[field].clone())
        };
        let alone = played("1", &["--move-limit", "1000000"]);
        assert!(alone[1].as_u64().unwrap() > 1, "{game}: {alone:?}");
        for threads in ["1", "2", "5"] {
            assert_eq!(played(threads, &[]), alone, "{game} on {threads} threads");
        }
    }
}

/// Recording also asks the rules for the chance outcomes.
#[test]
fn wrong_distributions_are_reported_and_the_other_games_are_recorded() {
    let bad = Bad::folder();
    let mut told = String::new();
    for at in ["outcomes", "no_outcome", "half_outcomes", "nan_outcomes", "many_outcomes"] {
        let game = format!("faulty(at: {at})");
        let records = bad.0.path().join(format!("{at}.rec"));
        told += &some_games_fail(&game, "random", &["--records", text(&records)]);
        with_faulty(&["replay", "verify", text(&records)]).success();
        // A position of a game that is doomed.
        let perft = ["perft", "--game", &game, "--depth", "2", "--state", "10 fate=0", "--json"];
        told += &failure(&with_faulty(&perft));
    }
    assert_snapshot!(told);
}

#[test]
fn run_in_which_every_game_fails_prints_a_result_without_a_score() {
    let mut told = String::new();
    for at in ["begin", "end"] {
        let agent = format!("faulty-agent(at: {at})");
        let failed = eval("faulty", &agent, &["--games", "9", "--json"]);
        let result = failed.json();
        assert_eq!((&result["games"], &result["faults"]), (&0.into(), &9.into()), "{result}");
        assert!(result["score"]["mean"].is_null(), "{result}");
        let table = eval("faulty", &agent, &["--games", "9"]);
        assert_eq!((table.code, failed.code), (Some(1), Some(1)), "{table:?}");
        assert!(table.out.contains("no game was finished"), "{table:?}");
        told += &general(table.error());
    }
    assert_snapshot!(told);
}

/// Faults of a learner name it, and an existing model is not changed.
#[test]
fn a_fault_of_a_learner_leaves_the_last_model() {
    let bad = Bad::folder();
    let model = bad.0.path().join("a.model");
    let train = |at: &str, more: &[&str]| {
        let agent = format!("faulty-learner(at: {at})");
        // A resumed training needs a higher limit.
        let moves = if more.is_empty() { "10k" } else { "20k" };
        let flags = ["train", "--game", "faulty", "--agent", &agent, "--moves", moves, "--json"];
        with_faulty(&[&flags[..], &["--model", text(&model)], more].concat())
    };
    let good = train("nowhere", &[]);
    assert_eq!((good.code, &good.json()["moves"]), (Some(0), &10_000.into()), "{good:?}");
    let mut told = String::new();
    for (at, flag) in [
        ("train", "--resume"),
        ("task", "--resume"),
        ("idle", "--resume"),
        ("train", "--force"),
        ("save", "--force"),
        ("save", "--resume"),
        ("load", "--resume"),
        ("formats", "--resume"),
        ("no_formats", "--resume"),
        ("progress", "--resume"),
    ] {
        let message = failure(&train(at, &[flag]));
        // A model that is to be replaced is no checkpoint of the failed training.
        assert!(flag == "--resume" || !message.contains("continue from"), "{message}");
        told += message.split("; when the cause is removed").next().unwrap().trim_end();
        told += "\n";
        assert_eq!(fs::read_to_string(&model).unwrap(), "10000", "{at}");
        let left: Vec<_> = fs::read_dir(bad.0.path()).unwrap().map(|e| e.unwrap().path()).collect();
        assert!(left.iter().all(|path| path.extension() != Some("tmp".as_ref())), "{left:?}");
    }
    assert_snapshot!(told.replace(text(bad.0.path()), "FOLDER"));
    // The training can continue from the model that was saved at its beginning.
    fs::remove_file(&model).unwrap();
    let failed = train("save_again", &["--force"]);
    assert_eq!(failed.code, Some(1), "{failed:?}");
    assert!(failed.error().contains("continue from the last checkpoint with: "), "{failed:?}");
    assert_eq!(fs::read_to_string(&model).unwrap(), "0");
}
