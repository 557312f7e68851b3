//! The command line by its contract: results, exit codes, JSON fields, pipes, interrupts and
//! full disks. Its options are tested in `options`.

#[cfg(target_os = "linux")]
use crate::harness::signals::{await_listening, interrupt};
use crate::harness::{self, Ran, command, ran, run, text};
use crate::options::expect_usage_error;
use serde_json::Value;
use std::fs;
#[cfg(target_os = "linux")]
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
#[cfg(target_os = "linux")]
use std::process::Child;
use std::process::{Command, Stdio};
use std::time::Duration;

/// A small game and its player.
const SMALL: [&str; 5] = ["eval", "--game", "2048(rows: 2, cols: 2)", "--agent", "greedy"];

#[track_caller]
fn eval(more: &[&str]) -> Ran {
    run(&[&SMALL[..], more].concat())
}

/// Removes the fields that depend on the time.
fn timeless(mut result: Value) -> Value {
    let fields = result.as_object_mut().unwrap();
    for time in ["seconds", "moves_per_second", "threads"] {
        assert!(fields.remove(time).is_some_and(|value| value.is_number()), "{time}");
    }
    result
}

fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<_> = value.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

/// Scripts depend on these fields.
#[test]
fn the_json_of_an_evaluation_has_the_fields_of_the_contract() {
    let played = eval(&["--games", "50", "--json"]);
    assert_eq!((played.code, played.err.as_str()), (Some(0), ""), "{played:?}");
    assert_eq!(played.out.lines().count(), 1, "{played:?}");
    let result = played.json();
    let mut fields = vec!["game", "agent", "seed", "games", "moves", "seconds", "threads"];
    fields.extend(["moves_per_second", "score", "tiles", "faults", "interrupted"]);
    fields.sort_unstable();
    assert_eq!(keys(&result), fields);
    let score = ["ci95", "max", "mean", "median", "min", "p10", "p90"];
    assert_eq!(keys(&result["score"]), score);
    let tiles = result["tiles"].as_array().unwrap();
    assert!(!tiles.is_empty());
    for tile in tiles {
        assert_eq!(keys(tile), ["ci95", "ended", "rate", "reached", "tile"]);
        assert_eq!(tile["rate"].as_f64(), tile["reached"].as_f64().map(|n| n / 50.0), "{tile}");
    }
    let ended: u64 = tiles.iter().filter_map(|tile| tile["ended"].as_u64()).sum();
    assert_eq!(ended, 50, "every game ended with one tile");
    assert_eq!((&result["games"], &result["faults"]), (&50.into(), &0.into()));
    // The resolved spec has the defaults and is accepted again.
    let game = result["game"].as_str().unwrap();
    assert!(game.starts_with("2048(rows: 2, cols: 2, four: 0.1"), "{game}");
    let again = run(&["eval", "--game", game, "--agent", "greedy", "--games", "50", "--json"]);
    assert_eq!(timeless(again.json()), timeless(result));
}

#[test]
fn results_depend_on_the_seed_and_not_on_the_threads() {
    let play = |seed: &str, threads: &str| {
        let flags = ["--games", "300", "--json", "--seed", seed, "--threads", threads];
        timeless(eval(&flags).json())
    };
    let one = play("5", "1");
    for threads in ["2", "3", "7"] {
        assert_eq!(play("5", threads), one, "{threads} threads");
    }
    assert_ne!(play("6", "1")["score"], one["score"]);
}

/// Recording does not change the games, and the file is enough to replay them.
#[test]
fn recorded_games_are_verified_and_damaged_files_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.rec");
    let flags = ["--games", "60", "--seed", "3", "--json"];
    let recorded = eval(&[&flags[..], &["--records", text(&path)]].concat()).json();
    assert_eq!(timeless(recorded.clone()), timeless(eval(&flags).json()));
    let verify = || run(&["replay", "verify", text(&path)]);
    let verified = verify();
    assert_eq!((verified.code, verified.err.as_str()), (Some(0), ""), "{verified:?}");
    assert!(verified.out.contains("60 games of 2048(rows: 2, cols: 2"), "{verified:?}");
    let shown = run(&["replay", "show", text(&path), "--game-number", "59"]);
    assert!(shown.code == Some(0) && shown.out.contains("\ngame 59: "), "{shown:?}");
    let none = run(&["replay", "show", text(&path), "--game-number", "60"]);
    assert!(none.code == Some(1) && none.error().contains("no game 60"), "{none:?}");

    let whole = fs::read(&path).unwrap();
    for at in [0, 9, 40, whole.len() / 2, whole.len() - 1] {
        let mut damaged = whole.clone();
        damaged[at] ^= 1;
        fs::write(&path, damaged).unwrap();
        let refused = verify();
        assert_eq!((refused.code, refused.out.as_str()), (Some(1), ""), "byte {at}: {refused:?}");
        println!("byte {at}: {}", refused.error());
        assert!(refused.error().contains(text(&path)), "{refused:?}");
    }
    fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    assert!(verify().error().contains("truncated at byte"));
    let missing = run(&["replay", "verify", text(&folder.path().join("none.rec"))]);
    assert!(missing.code == Some(1) && missing.error().contains("none.rec: No such file"));
}

#[test]
fn unwritable_records_are_refused_before_the_first_game() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("no/games.rec");
    let mut wrong = vec![(missing.as_path(), "make its folder first"), (folder.path(), "a folder")];
    if Path::new("/dev/full").exists() {
        wrong.push((Path::new("/dev/full"), "not a regular file"));
    }
    for (path, expected) in wrong {
        let refused = eval(&["--records", text(path)]);
        assert_eq!((refused.code, refused.out.as_str()), (Some(1), ""), "{refused:?}");
        let error = refused.error();
        println!("{error}");
        assert!(error.contains(text(path)) && error.contains(expected), "{refused:?}");
    }
}

/// A limit on the size of files simulates a full disk.
#[cfg(unix)]
#[test]
fn a_full_disk_keeps_the_games_written_so_far() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.rec");
    fs::write(&path, "of an earlier run").unwrap();
    // 200 blocks of 512 bytes: more than one buffer of games, and less than two.
    let limited = "ulimit -f 200; trap '' XFSZ; exec \"$0\" \"$@\"";
    let mut shell = Command::new("sh");
    harness::prepare(&mut shell).args(["-c", limited, env!("CARGO_BIN_EXE_runner")]);
    let failed =
        ran(shell.args(SMALL).args(["--games", "20k", "--force", "--records", text(&path)]));
    assert_eq!((failed.code, failed.out.as_str()), (Some(1), ""), "{failed:?}");
    let error = failed.only_line("error: cannot write ");
    println!("{error}");
    let partial = folder.path().join("games.rec.partial");
    assert!(error.contains(text(&path)) && error.contains(text(&partial)), "{error}");
    let (_, kept) = error.split_once("the first ").expect("games are kept");
    let (kept, _) = kept.split_once(" games are kept in ").expect("games are kept");
    assert_eq!(fs::read_to_string(&path).unwrap(), "of an earlier run");
    let verified = run(&["replay", "verify", text(&partial)]);
    println!("{}", verified.error());
    assert_eq!(verified.code, Some(1));
    let expected = format!("after {kept} complete games: the run that wrote it did not finish");
    assert!(verified.error().contains(&expected), "{expected:?} is wanted: {verified:?}");
}

#[test]
fn a_closed_standard_output_is_a_silent_success() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.rec");
    eval(&["--games", "500", "--records", text(&path)]);
    let perft =
        ["perft", "--game", "2048", "--depth", "1", "--state", "2,0,0,0/0,0,0,0/0,0,0,0/0,0,0,2"];
    for arguments in [
        vec!["replay", "show", text(&path)],
        vec!["replay", "verify", text(&path)],
        perft.to_vec(),
        [&perft[..], &["--json"]].concat(),
        vec!["plugins", "list"],
        vec!["plugins", "list", "--json"],
        vec!["completions", "bash"],
        [&SMALL[..], &["--games", "3"]].concat(),
        [&SMALL[..], &["--games", "3", "--json"]].concat(),
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let ran = ran(command(&arguments).stdout(writer).stderr(Stdio::piped()));
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{arguments:?}");
    }
}

#[test]
fn a_closed_standard_error_does_not_change_the_exit_code() {
    for (arguments, code) in [
        (vec!["eval", "--game", "chess", "--agent", "greedy"], 2),
        (vec!["replay", "verify", "none.rec"], 1),
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let status = command(&arguments).stderr(writer).status().unwrap();
        assert_eq!(status.code(), Some(code), "{arguments:?}");
    }
}

/// Starts a run that would take days, and returns once it handles interrupts.
#[cfg(target_os = "linux")]
#[track_caller]
fn endless(arguments: &[&str]) -> Child {
    let mut command = command(arguments);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    await_listening(&child, || true);
    child
}

/// Interrupts an evaluation after 300 ms and returns its result.
#[cfg(target_os = "linux")]
#[track_caller]
fn interrupted(more: &[&str]) -> Ran {
    let child = endless(&[&SMALL[..], &["--games", "100G", "--threads", "2"], more].concat());
    std::thread::sleep(Duration::from_millis(300));
    interrupt(&child);
    Ran::from(child.wait_with_output().unwrap()).without_a_panic()
}

#[cfg(target_os = "linux")]
#[test]
fn the_second_interrupt_ends_a_run_at_once() {
    let deep = r#"expectimax(depth: 20, value: rows, table: "none")"#;
    let mut child = endless(&["eval", "--game", "2048", "--agent", deep, "--games", "2"]);
    interrupt(&child);
    let errors = BufReader::new(child.stderr.take().unwrap());
    let note = errors.lines().map(Result::unwrap).find(|line| line.contains("Ctrl-C again"));
    assert!(note.is_some(), "the run ended");
    interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

#[cfg(target_os = "linux")]
#[test]
fn the_first_interrupt_ends_the_reading_of_a_pipe_without_a_writer() {
    let folder = tempfile::tempdir().unwrap();
    let (pipe, model) = (folder.path().join("pipe"), folder.path().join("a.model"));
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let game = ["--game", "2048(rows: 2, cols: 2)", "--agent"];
    for (command, more) in [
        ("train", &["td-ntuple(network: \"0123\")", "--model", text(&model), "--starts"][..]),
        ("eval", &["greedy", "--starts"]),
        ("think", &["greedy", "--states"]),
    ] {
        let child = endless(&[&[command][..], &game, more, &[text(&pipe)]].concat());
        interrupt(&child);
        let stopped = Ran::from(child.wait_with_output().unwrap()).without_a_panic();
        assert_eq!(stopped.code, Some(130), "{stopped:?}");
        let line = stopped.err.lines().last().unwrap();
        assert!(line.starts_with("interrupted: "), "{stopped:?}");
        assert!(line.ends_with("pipe was not read to its end"), "{stopped:?}");
        assert!(!model.exists());
    }
}

/// The second training would find nothing more in the pipe.
#[cfg(target_os = "linux")]
#[test]
fn positions_are_read_from_a_pipe_once() {
    let folder = tempfile::tempdir().unwrap();
    let game = ["--game", "2048(rows: 2, cols: 2)", "--agent"];
    for (words, more) in [
        (["eval", "greedy"], &["--games", "5"][..]),
        (["train", "td-ntuple(network: \"0123\")"], &["--moves", "100", "--seeds", "2"]),
    ] {
        let starts = ["--starts", "/dev/stdin", "--json"];
        let words = [&words[..1], &game, &words[1..], more, &starts].concat();
        let (reader, mut writer) = std::io::pipe().unwrap();
        writer.write_all(b"2,2/0,0\n2,4/0,0\n").unwrap();
        drop(writer);
        ran(command(&words).stdin(reader).current_dir(folder.path())).success();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_evaluation_prints_the_finished_games() {
    let stopped = interrupted(&["--json"]);
    assert_eq!(stopped.code, Some(130), "{stopped:?}");
    let result = stopped.json();
    assert!(result["games"].as_u64().unwrap() > 0, "{result}");
    println!("{}", stopped.err);
    let line = stopped.only_line("interrupted: ");
    assert!(line.contains("the same command plays them all"), "{line}");
    let table = interrupted(&[]);
    assert_eq!(table.code, Some(130), "{table:?}");
    assert!(table.out.contains("mean score"), "{table:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_recording_is_complete() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.rec");
    let stopped = interrupted(&["--json", "--records", text(&path)]);
    assert_eq!(stopped.code, Some(130), "{stopped:?}");
    // The same command is refused without --force, because the file exists now.
    assert!(stopped.err.contains("the same command with --force plays"), "{stopped:?}");
    let games = stopped.json()["games"].as_u64().unwrap();
    // 20,000 games would take far longer than it was given; their number is written
    // with commas.
    let verified = run(&["replay", "verify", text(&path)]).success();
    let printed = verified.out.replace(',', "");
    assert!(printed.contains(&format!("{games} games of ")), "{games} games: {verified:?}");
}

/// Compares small trees with the counts that the game's own tests verify.
#[test]
fn perft_agrees_with_the_counts_of_the_game() {
    let counts = include_str!("../../games/2048/tests/perft.txt");
    let lines = counts.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let mut compared = 0;
    for line in lines {
        let [game, position, depth, count] = line.split(" | ").collect::<Vec<_>>()[..] else {
            panic!("four columns are expected: {line}");
        };
        let count: u64 = count.parse().unwrap();
        // The larger trees are counted by the tests of the game.
        if count > 20_000 || compared > 12 {
            continue;
        }
        let perft = ["perft", "--game", game, "--state", position, "--depth", depth];
        let counted = run(&[&perft[..], &["--json"]].concat()).json();
        assert_eq!(counted["count"], count, "{line}");
        compared += 1;
    }
    assert!(compared > 5);
    // By hand: the 2 on 2x2 has two legal moves (right and down); after each there
    // are three empty cells, and two tiles that may enter: 2 * 3 * 2 = 12.
    let perft = ["perft", "--game", "2048(rows: 2, cols: 2)", "--state", "2,0/0,0", "--depth", "1"];
    let counted = run(&perft);
    let lines: Vec<Vec<_>> =
        counted.out.lines().map(|line| line.split_whitespace().take(2).collect()).collect();
    assert_eq!(lines, [["0", "1"], ["1", "12"]], "{counted:?}");
}

#[test]
fn titles_name_only_parameters_that_differ_from_the_defaults() {
    let small = ["eval", "--game", "2048(rows: 2, cols: 2)", "--games", "2"];
    let title = |agent: &'static str, more: &[&str]| {
        let ran = run(&[&small[..], &["--agent", agent], more].concat()).success();
        ran.out
    };
    let shown = title("expectimax(depth: 1)", &[]);
    assert!(
        shown.starts_with("2 games of 2048(rows: 2, cols: 2) by expectimax(depth: 1"),
        "{shown}"
    );
    assert!(!shown.contains("None") && !shown.contains("start_tiles"), "{shown}");
    assert!(title("expectimax", &["--json"]).contains("start_tiles: 2"));
}

#[test]
fn positions_come_from_the_start_or_from_a_recorded_game() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.rec");
    eval(&["--games", "3", "--records", text(&path)]);
    let shown = run(&["replay", "show", text(&path), "--game-number", "1", "--json"]).json();
    let game = &shown["games"][0];
    assert_eq!(game["number"], 1);
    let record = ["--record", text(&path), "--game-number", "1", "--move", "2"];
    let perft = run(&[&["perft", "--depth", "1", "--json"][..], &record].concat()).json();
    assert_eq!(perft["state"], game["moves"][1]["state"], "{shown}");
    let think = run(&[&["think", "--agent", "rows", "--json"][..], &record].concat()).json();
    assert_eq!(think["state"], perft["state"]);
    let start = run(&["perft", "--game", "2048", "--depth", "0", "--json"]).json();
    assert_eq!(start["count"], 1);
    let far = ["perft", "--depth", "1", "--record", text(&path), "--move", "1M"];
    expect_usage_error(&far, &["1,000,000"]);
}

#[test]
fn a_plugin_is_shown_with_its_parameters() {
    let shown = run(&["plugins", "show", "2048"]).success();
    assert!(shown.out.contains("rows [default: 4]"), "{}", shown.out);
    let json = run(&["plugins", "show", "2048", "--json"]).json();
    assert_eq!((&json["kind"], &json["parameters"][0]["name"]), (&"game".into(), &"rows".into()));
    expect_usage_error(&["plugins", "show", "2084"], &["2084", "did you mean `2048`"]);
    let long = run(&["plugins", "list", "--verbose"]);
    assert!(long.out.lines().all(|line| line.chars().count() <= 80), "{}", long.out);
}

#[test]
fn think_reports_action_values_and_facts() {
    let state = "0,2,4,0/0,0,0,0/0,2,0,0/0,0,0,0";
    let think =
        |agent: &'static str| ["think", "--game", "2048", "--agent", agent, "--state", state];
    let report = run(&[&think("expectimax(depth: 2)")[..], &["--json"]].concat()).json();
    let values = report["values"].as_array().unwrap();
    assert_eq!(values.len(), 4, "{report}");
    let value = |of: &Value| of["value"].as_f64().unwrap();
    let chosen = values.iter().find(|value| value["action"] == report["action"]).unwrap();
    assert!(values.iter().all(|other| value(other) <= value(chosen)), "{report}");
    assert_eq!(report["facts"]["plies"], 2);
    // A value is a player. An agent without action values reports its action.
    let report = run(&[&think("rows")[..], &["--json"]].concat()).json();
    assert_eq!(report["values"].as_array().unwrap().len(), 4);
    let report = run(&think("greedy"));
    assert!(report.out.contains("action  "), "{}", report.out);
    let over =
        ["think", "--game", "2048(rows: 2, cols: 2)", "--agent", "rows", "--state", "2,4/4,2"];
    assert!(run(&over).out.contains("action  none"));
}

#[test]
fn results_of_games_are_in_the_document_on_request() {
    let result = eval(&["--games", "5", "--json", "--scores"]).json();
    let games = result["scores"].as_array().unwrap();
    let numbers: Vec<_> = games.iter().map(|game| game["number"].as_u64().unwrap()).collect();
    assert_eq!(numbers, [0, 1, 2, 3, 4]);
    let sum: f64 = games.iter().map(|game| game["score"].as_f64().unwrap()).sum();
    assert_eq!(result["score"]["mean"], sum / 5.0);
    assert_eq!(result["interrupted"], false);
    assert!(eval(&["--games", "5", "--json"]).json()["scores"].is_null());
}

#[test]
fn any_time_is_a_limit() {
    let result = eval(&["--games", "5", "--json", "--for", "213503982334601d"]).json();
    assert_eq!(result["games"], 5);
}
