//! The program reports a defective plugin in one line that names its file, and the other
//! plugins continue to work.
//!
//! With `--nocapture` the tests print every message.

use crate::harness::place::Place;
use crate::harness::transcript::{assert_snapshot, without_lines_of_sources};
use crate::harness::{Ran, library, ran, text};
use runner_plugin::note::FEATURES;
use std::fs;
use std::path::{Path, PathBuf};

/// A small evaluation of plugins without a defect.
const GOOD: &str = "eval --game '2048(rows: 2, cols: 2)' --agent greedy --games 3 --json";

/// Writes a file, and returns its path.
fn file(place: &Place, name: &str, bytes: &[u8]) -> PathBuf {
    fs::write(place.path(name), bytes).expect("a temporary file");
    place.path(name)
}

/// Checks that a file is refused in one line, that `eval` plays with the other plugins, and that
/// `plugins list` lists them and fails. Returns the line, with the file in it as `FILE`.
#[track_caller]
fn refused(file: &Path) -> String {
    refused_in(&[], file)
}

/// [`refused`] with these environment variables.
#[track_caller]
fn refused_in(environment: &[(&str, &str)], file: &Path) -> String {
    let place = Place::new();
    let with_it = |line: &str| {
        let line = format!("{line} --plugin-path {}", file.display());
        ran(place.line(line).envs(environment.iter().copied()))
    };
    let played = with_it(GOOD).success();
    let note = played.only_line("note: ").strip_prefix("note: ").unwrap_or_default().to_owned();
    assert_eq!(played.json()["games"], 3);
    assert!(note.starts_with(&format!("{}: ", file.display())), "the file first: {note}");
    assert!(note.contains("; ") || note.contains("(see "), "what to do is wanted: {note}");

    let listed = with_it("plugins list");
    assert_eq!(listed.code, Some(1));
    assert!(listed.err.starts_with(&format!("problem: {note}\n")), "{listed:?}");
    assert_eq!(listed.error(), "1 plugin cannot be used");
    for good in ["2048", "greedy", "random"] {
        assert!(listed.out.contains(good), "{good} is wanted: {listed:?}");
    }

    let listed = with_it("plugins list --json");
    assert_eq!(listed.code, Some(1));
    let rows = listed.json();
    let (bad, good): (Vec<_>, Vec<_>) =
        rows.as_array().expect("an array").iter().partition(|row| row["status"] == "error");
    assert_eq!(bad.len(), 1, "{rows}");
    assert_eq!((&bad[0]["file"], &bad[0]["error"]), (&text(file).into(), &note.clone().into()));
    assert!(good.iter().any(|row| row["name"] == "2048" && row["status"] == "ok"), "{rows}");
    note.replace(text(file), "FILE") + "\n"
}

#[test]
fn files_that_are_no_libraries_are_refused() {
    let place = Place::new();
    let empty = file(&place, "file", b"");
    let mut told = refused(&file(&place, "text.so", b"#!/bin/sh\nexit 0\n"))
        + &refused(&file(&place, "empty.so", b""))
        + &refused(&empty);
    #[cfg(unix)]
    {
        place.shell("mkfifo pipe.so").success();
        told += &refused(Path::new("/dev/null"));
        told += &refused(&place.path("pipe.so"));
    }
    assert_snapshot!(told);
}

/// The system's loader would end the process at most of these with a bus error.
#[test]
fn truncated_library_is_refused() {
    let place = Place::new();
    let whole = fs::read(library("runner_plugin_players")).unwrap();
    let n = whole.len();
    for length in [1, 3, 4, 63, 64, 200, n / 10, n / 2, n - n / 10, n - 1] {
        // Without its first four bytes nothing says that it was a library.
        let expected = match length {
            ..4 => "is not a shared library (it does not begin like one)",
            4..64 => "is truncated: its header is incomplete",
            _ => "is truncated: ",
        };
        let note = refused(&file(&place, "librunner_plugin_cut.so", &whole[..length]));
        assert!(note.contains(expected), "cut at {length} of {n}: {note}");
    }
}

/// A library with other bytes at a place in its note.
fn with_note(place: &Place, offset: usize, bytes: &[u8]) -> PathBuf {
    let mut library = fs::read(library("runner_plugin_players")).unwrap();
    let magic = b"runner-plugin-01";
    // The loader has the magic in its code, too; the note is where the version
    // follows.
    let note = [&magic[..], &runner_plugin::ABI_VERSION.to_ne_bytes()].concat();
    let at = library.windows(note.len()).position(|window| window == note).expect("a note");
    library[at + offset..at + offset + bytes.len()].copy_from_slice(bytes);
    file(place, "librunner_plugin_patched.so", &library)
}

/// Offsets of the parts of a note: magic, version, features.
const VERSION: usize = 16;
const FEATURE_BITS: usize = 24;

#[test]
fn a_library_built_against_or_for_something_else_is_refused_by_its_note() {
    let place = Place::new();
    let mut told = refused(&with_note(&place, 0, b"runner-plugin-99"));
    for version in [99, 1, 2u32] {
        told += &refused(&with_note(&place, VERSION, &version.to_ne_bytes()));
    }
    assert_snapshot!(told);
}

#[test]
fn a_library_with_another_layout_is_refused_with_the_first_difference() {
    let place = Place::new();
    let mut library = fs::read(library("runner_plugin_players")).unwrap();
    // The description of a table holds the names of its functions.
    let (name, other) = (b"canonical_afterstates;", b"canonical_afterSTATES;");
    let at = library.windows(name.len()).position(|window| window == name).expect("a name");
    library[at..at + name.len()].copy_from_slice(other);
    let file = file(&place, "librunner_plugin_patched.so", &library);
    assert_snapshot!(refused(&file));
    let listed = place.sh(format!("plugins list --verbose --plugin-path {}", file.display()));
    assert!(listed.err.contains("Layout of expected type"), "{}", listed.err);
}

#[test]
fn library_named_by_file_and_by_folder_is_loaded_once() {
    let place = Place::new();
    let bytes = fs::read(library("test_rival")).unwrap();
    file(&place, "librunner_plugin_given_twice.so", &bytes);
    let (file, folder) = ("librunner_plugin_given_twice.so", text(place.folder()));
    let list = "plugins list --json --plugin-path";
    let once = place.sh(format!("{list} {}", text(&place.path(file)))).json();
    for path in [text(&place.path(file)), folder] {
        let twice = place.sh(format!("{list} {path} --plugin-path {}", text(&place.path(file))));
        assert_eq!(twice.json(), once, "{path}");
        let mut by_variable = place.line(format!("{list} {path}"));
        let listed = ran(by_variable.env("RUNNER_PLUGINS", place.path(file)));
        assert_eq!(listed.json(), once, "{path}");
    }
}

#[cfg(target_arch = "x86_64")]
#[test]
fn a_library_built_for_a_processor_that_this_one_is_not_is_refused_by_its_note() {
    let place = Place::new();
    let note = refused(&with_note(&place, FEATURE_BITS, &(1u64 << 63).to_ne_bytes()));
    assert!(note.contains("with a feature unknown to this runner"), "{note}");
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
    let note = refused(&with_note(&place, FEATURE_BITS, &(1u64 << bit).to_ne_bytes()));
    let expected = format!("is built for a processor with {lacking}, which this one lacks");
    assert!(note.contains(&expected), "{note}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_library_that_the_system_refuses_is_refused_by_name() {
    let place = Place::new();
    let whole = fs::read(library("runner_plugin_players")).unwrap();
    // The machine is the two bytes at 18 of an ELF header.
    let mut other = whole.clone();
    let (machine, name): (u16, _) =
        if cfg!(target_arch = "x86_64") { (183, "aarch64") } else { (62, "x86_64") };
    other[18..20].copy_from_slice(&machine.to_le_bytes());
    let note = refused(&file(&place, "librunner_plugin_other.so", &other));
    assert!(note.contains(&format!("is built for {name}")), "{note}");

    // A library that it needs is missing.
    let mut needy = whole;
    let needed = b"\0libc.so.6\0";
    let at = needy.windows(needed.len()).position(|window| window == needed).expect("it needs it");
    needy[at + 4] = b'x';
    let note = refused(&file(&place, "librunner_plugin_needy.so", &needy));
    assert!(note.contains("cannot be loaded: libx.so.6"), "{note}");
}

/// Returns an ordinary shared library, which exports nothing that says "plugin": a macro of the
/// compiler.
fn other_library() -> PathBuf {
    let deps = library("test_faulty").parent().unwrap().to_owned();
    let files = fs::read_dir(deps).unwrap().map(|entry| entry.unwrap().path());
    let begin = format!("{}serde_derive-", std::env::consts::DLL_PREFIX);
    let is_macro = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_str().unwrap();
        name.starts_with(&begin) && name.ends_with(std::env::consts::DLL_SUFFIX)
    };
    files.into_iter().find(is_macro).expect("the program reads JSON")
}

#[test]
fn libraries_without_a_list_of_plugins_are_refused() {
    let fail = [(test_faulty::FAIL_TO_LIST, "1")];
    let panics = refused_in(&fail, &library("test_faulty"));
    assert_snapshot!(refused(&other_library()) + &general(panics.trim_end()));
}

/// Runs the program with the defective plugins.
#[track_caller]
fn with_faulty(line: impl AsRef<str>) -> Ran {
    Place::with_library("test_faulty").sh(line)
}

#[track_caller]
fn eval(game: &str, agent: &str, more: &str) -> Ran {
    with_faulty(format!("eval --game '{game}' --agent '{agent}' {more}"))
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
    without_lines_of_sources(&line) + "\n"
}

/// Plays 200 games, some of which end by a fault. They are counted, the others are played, and the
/// result does not depend on the threads. Returns the error.
#[track_caller]
fn some_games_fail(game: &str, agent: &str, more: &str) -> String {
    const GAMES: u64 = 200;
    let play = |threads: u32, format: &str| {
        eval(game, agent, &format!("--games {GAMES} --threads {threads} {format} {more}"))
    };
    let played = play(1, "--json");
    assert_eq!(played.code, Some(1), "{played:?}");
    let result = played.json();
    let (games, faults) = (result["games"].as_u64().unwrap(), result["faults"].as_u64().unwrap());
    assert!(0 < faults && faults < GAMES, "{faults} faults: {result}");
    assert_eq!(games + faults, GAMES, "{result}");
    assert!(result["score"]["mean"].is_number(), "the other games count: {result}");
    if more.is_empty() {
        let again = play(3, "--json").json();
        for same in ["games", "faults", "moves", "score", "tiles"] {
            assert_eq!(result[same], again[same], "{same} depends on the threads");
        }
        let table = play(2, "");
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
        told += &some_games_fail(&game, "random", "");
        told += &some_games_fail(&game, "faulty-value", "");
    }
    assert_snapshot!(told);
}

/// A player that fails once in 32 decisions fails in about a third of the games of 14 moves.
#[test]
fn a_fault_of_the_player_in_one_game_leaves_the_others() {
    let agents = ["act", "illegal", "task", "task_fault"]
        .map(|at| some_games_fail("faulty", &format!("faulty-agent(at: {at})"), ""));
    let value = some_games_fail("2048(rows: 3, cols: 3)", "faulty-value(at: evaluate)", "");
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
        let played = |threads: u32, more: &str| {
            let flags = format!("--games 300 --threads {threads} --json {more}");
            let result = eval(game, value, &flags).json();
            ["games", "faults", "moves", "score", "tiles"].map(|field| result[field].clone())
        };
        let alone = played(1, "--move-limit 1000000");
        assert!(alone[1].as_u64().unwrap() > 1, "{game}: {alone:?}");
        for threads in [1, 2, 5] {
            assert_eq!(played(threads, ""), alone, "{game} on {threads} threads");
        }
    }
}

/// Recording also asks the rules for the chance outcomes.
#[test]
fn wrong_distributions_are_reported_and_the_other_games_are_recorded() {
    let place = Place::new();
    let mut told = String::new();
    for at in ["outcomes", "no_outcome", "half_outcomes", "nan_outcomes", "many_outcomes"] {
        let game = format!("faulty(at: {at})");
        let records = place.path(&format!("{at}.rec"));
        let records = text(&records);
        told += &some_games_fail(&game, "random", &format!("--records {records}"));
        with_faulty(format!("replay verify {records}")).success();
        // A position of a game that is doomed.
        let perft = format!("perft --game '{game}' --depth 2 --state '10 fate=0' --json");
        told += &failure(&with_faulty(perft));
    }
    assert_snapshot!(told);
}

/// Faults of a learner name it, and an existing model is not changed.
#[test]
fn a_fault_of_a_learner_leaves_the_last_model() {
    let place = Place::with_library("test_faulty");
    let train = |at: &str, more: &str| {
        // A resumed training needs a higher limit.
        let moves = if more.is_empty() { "10k" } else { "20k" };
        let train = format!("train --game faulty --agent 'faulty-learner(at: {at})'");
        place.sh(format!("{train} --moves {moves} --json --model a.model {more}"))
    };
    let good = train("nowhere", "");
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
        let message = failure(&train(at, flag));
        // A model that is to be replaced is no checkpoint of the failed training.
        assert!(flag == "--resume" || !message.contains("continue from"), "{message}");
        told += message.split("; when the cause is removed").next().unwrap().trim_end();
        told += "\n";
        assert_eq!(place.text("a.model"), "10000", "{at}");
        assert!(place.names().iter().all(|name| !name.ends_with("tmp")), "{:?}", place.names());
    }
    assert_snapshot!(told);
    // The training can continue from the model that was saved at its beginning.
    fs::remove_file(place.path("a.model")).unwrap();
    let failed = train("save_again", "--force");
    assert_eq!(failed.code, Some(1), "{failed:?}");
    assert!(failed.error().contains("continue from the last checkpoint with: "), "{failed:?}");
    // A learner that does not count its time never spends this budget.
    let timeless = "train --game faulty --agent 'faulty-learner(at: nowhere)' --for 1m";
    let failed = place.sh(format!("{timeless} --model b.model"));
    assert_eq!(failed.code, Some(1), "{failed:?}");
    assert!(failed.error().contains("trains without counting its time"), "{failed:?}");
    assert_eq!(place.text("a.model"), "0");
}
