//! The command line as its contract has it: what is wrong with what was typed,
//! where and what would be right; exit codes; JSON fields; pipes, interrupts and
//! full disks.

#[cfg(target_os = "linux")]
use crate::harness::signals::{await_listening, interrupt};
use crate::harness::{self, Ran, command, ran, run, text};
use serde_json::Value;
use std::fs;
#[cfg(target_os = "linux")]
use std::io::{BufRead, BufReader};
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

/// The error of a wrong command line, which names these things.
#[track_caller]
fn misused(arguments: &[&str], expected: &[&str]) -> Ran {
    println!("{arguments:?}:");
    let refused = run(arguments);
    harness::misused(&refused, expected);
    refused
}

#[test]
fn a_wrong_spec_is_refused_with_its_place_and_what_is_right() {
    let games: [(&str, &[&str]); 19] = [
        ("2084", &["no game `2084`", "did you mean `2048`", "there are: 1024, 2048"]),
        ("chess", &["no game `chess`", "there are: 1024, 2048"]),
        ("greedy", &["no game `greedy`", "there are: 1024, 2048"]),
        ("2048(row: 3)", &["unknown parameter `row`", "character 6", "allowed: rows, cols, four"]),
        ("2048(row: 3)", &["did you mean `rows`?"]),
        ("2048(rows: 3, rows: 4)", &["`rows` is given twice", "character 15"]),
        ("2048(rows: big)", &["parameter `rows`", "the name `big`", "character 12"]),
        ("2048(rows: -3)", &["parameter `rows`", "-3 is out of range", "character 12"]),
        ("2048(rows: 3.5)", &["parameter `rows`", "the number 3.5", "character 12"]),
        ("2048(rows: 9)", &["parameter `rows`", "2 to 5", "character 12"]),
        ("2048(rows: 1)", &["parameter `rows`", "2 to 5", "character 12"]),
        ("2048(four: 1.5)", &["parameter `four`", "1.5 is not a probability", "character 12"]),
        ("2048(goal: 3)", &["parameter `goal`", "3", "character 12"]),
        ("2048(start_tiles: 17)", &["parameter `start_tiles`", "character 19"]),
        ("2048(rows: 3", &["`(` is not closed", "character 5"]),
        ("2048(rows: 3))", &["unexpected `)` after the end", "character 14"]),
        ("2048 and more", &["unexpected `and` after the end", "character 6"]),
        ("", &["expected a name, found nothing"]),
        ("2048(3, 4)", &["expected `parameter: value`", "the number 3", "character 6"]),
    ];
    for (game, expected) in games {
        misused(&["eval", "--game", game, "--agent", "greedy"], expected);
    }
    let agents: [(&str, &[&str]); 6] = [
        ("gredy", &["no agent `gredy`", "did you mean `greedy`", "there are: ", "random"]),
        ("greedy(depth: 3)", &["agent `greedy`", "unknown parameter `depth`", "no parameters"]),
        ("random(value: chess(", &["`(` is not closed", "character 20"]),
        ("\"greedy\"", &["found a string", "leave out the quotes"]),
        ("Greedy", &["`Greedy` is not a valid name", "lower-case"]),
        ("[greedy]", &["expected a name, found a list"]),
    ];
    for (agent, expected) in agents {
        misused(&["eval", "--game", "2048", "--agent", agent], expected);
    }
}

/// The place is underlined below the message.
#[test]
fn the_place_of_a_fault_is_marked() {
    let refused = misused(&["eval", "--game", "2048(rows: 9)", "--agent", "greedy"], &[]);
    assert_eq!(refused.told()[1..], ["2048(rows: 9)", "           ^"], "{refused:?}");
}

#[test]
fn what_is_missing_or_unknown_is_named() {
    misused(&["eval", "--agent", "greedy"], &["--game is missing", "2048"]);
    misused(&["eval", "--game", "2048"], &["--agent is missing", "greedy", "random"]);
    misused(&["--game", "2048"], &["--agent is missing"]);
    misused(&["eval"], &["--game is missing"]);
    misused(&["eval", "--gmae", "2048"], &["unexpected argument '--gmae'"]);
    misused(&["evaluate"], &["unrecognized subcommand 'evaluate'"]);
    misused(&[&SMALL[..], &["--games", "many"]].concat(), &["'many'", "--games"]);
    misused(&[&SMALL[..], &["--games", "-1"]].concat(), &["'-1'"]);
    misused(&[&SMALL[..], &["--threads", "0"]].concat(), &["--threads", "1 to 1024"]);
    misused(&[&SMALL[..], &["--time", "60"]].concat(), &["--time", "60s"]);
    misused(&[&SMALL[..], &["--seed", "x"]].concat(), &["--seed"]);
    for (arguments, expected) in [
        (vec!["perft", "--game", "2048", "--depth", "2"], "--state <TEXT>"),
        (vec!["replay", "verify"], "<FILE>"),
    ] {
        let refused = misused(&arguments, &["required arguments were not provided"]);
        assert!(refused.err.contains(expected), "{refused:?}");
    }
    let place = ["perft", "--game", "2048(rows: 2, cols: 2)", "--depth", "1", "--state"];
    misused(&[&place[..], &["2,0/0,3"]].concat(), &["the position is not one of 2048(", "3"]);
    misused(&[&place[..], &[""]].concat(), &["the position is not one of"]);
    let refused = misused(&["completions", "tcsh"], &["'tcsh'"]);
    assert!(refused.err.contains("possible values: bash"), "{refused:?}");
    for help in ["--help", "--version"] {
        let helped = run(&[help]);
        assert!(helped.code == Some(0) && !helped.out.is_empty() && helped.err.is_empty());
    }
}

#[test]
fn a_file_of_settings_is_read_and_flags_win_over_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("small.ron");
    fs::write(
        &path,
        "// A run in a moment.\n(\n    game: 2048(rows: 2, cols: 3),\n    agent: greedy,\n    \
         games: 7,\n    seed: 9,\n    threads: 1,\n    json: true,\n)\n",
    )
    .unwrap();
    let of_file = run(&["eval", "--config", text(&path)]).json();
    assert_eq!((&of_file["games"], &of_file["seed"]), (&7.into(), &9.into()), "{of_file}");
    assert!(of_file["game"].as_str().unwrap().contains("cols: 3"), "{of_file}");
    let flags = ["--games", "5", "--agent", "random", "--game", "2048(rows: 2, cols: 2)"];
    let of_flags = run(&[&["eval", "--config", text(&path)][..], &flags].concat()).json();
    assert_eq!((&of_flags["games"], &of_flags["seed"]), (&5.into(), &9.into()), "{of_flags}");
    assert_eq!(of_flags["agent"], "random", "{of_flags}");
    assert!(of_flags["game"].as_str().unwrap().contains("cols: 2"), "{of_flags}");
}

#[test]
fn a_wrong_file_of_settings_is_refused_with_the_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wrong.ron");
    let wrong: [(&str, &[&str]); 7] = [
        ("(\n    game: 2048,\n    agnet: greedy,\n)", &["line 3", "`agnet`", "mean `agent`"]),
        ("(\n    game: 2048,\n    games: many,\n)", &["line 3", "parameter `games`", "`many`"]),
        ("(\n    game: 2048(rows: 3,\n    agent: greedy\n", &["`(` is not closed"]),
        ("(\n    game: \"2048\",\n)", &["line 2", "parameter `game`", "leave out the quotes"]),
        ("(game: 2048,\nseed: 1)\nseed: 2", &["line 3", "unexpected `seed` after the end"]),
        ("", &["found the end of the text"]),
        ("\u{7f}ELF\0\0", &["expected a value"]),
    ];
    for (content, expected) in wrong {
        fs::write(&path, content).unwrap();
        misused(&["eval", "--config", text(&path)], &[&[text(&path)], expected].concat());
    }
    fs::write(&path, "(game: 2048(\n  rows: 9), agent: greedy)").unwrap();
    misused(&["eval", "--config", text(&path)], &["parameter `rows`", "line 2"]);
    fs::write(&path, [0xff, 0xfe, 0x00]).unwrap();
    misused(&["eval", "--config", text(&path)], &[text(&path), "UTF-8"]);
    let none = folder.path().join("none.ron");
    misused(&["eval", "--config", text(&none)], &[text(&none), "No such file"]);
}

/// Everything but the time it took.
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

/// The fields are those of the contract, neither more nor less.
#[test]
fn the_json_of_an_evaluation_has_the_fields_that_scripts_depend_on() {
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
    // Resolved: defaults are told, and the spec can be typed again.
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

/// A run that records plays the same games; the file says all that it takes to
/// play them again.
#[test]
fn recorded_games_verify_and_a_damaged_file_does_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.rec");
    let flags = ["--games", "60", "--seed", "3", "--json"];
    let recorded = eval(&[&flags[..], &["--records", text(&path)]].concat()).json();
    assert_eq!(timeless(recorded.clone()), timeless(eval(&flags).json()));
    let verify = || run(&["replay", "verify", text(&path)]);
    let verified = verify();
    assert_eq!((verified.code, verified.err.as_str()), (Some(0), ""), "{verified:?}");
    assert!(verified.out.contains("60 games of 2048(rows: 2, cols: 2"), "{verified:?}");
    let shown = run(&["replay", "show", text(&path), "--number", "59"]);
    assert!(shown.code == Some(0) && shown.out.contains("\ngame 59: "), "{shown:?}");
    let none = run(&["replay", "show", text(&path), "--number", "60"]);
    assert!(none.code == Some(1) && none.error().contains("no game 60 in it"), "{none:?}");

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
fn records_that_cannot_be_written_are_refused_before_a_game_is_played() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("no/games.rec");
    let mut wrong = vec![(missing.as_path(), "make its folder first"), (folder.path(), "a folder")];
    if Path::new("/dev/full").exists() {
        wrong.push((Path::new("/dev/full"), "no regular file"));
    }
    for (path, expected) in wrong {
        let refused = eval(&["--records", text(path)]);
        assert_eq!((refused.code, refused.out.as_str()), (Some(1), ""), "{refused:?}");
        let error = refused.error();
        println!("{error}");
        assert!(error.contains(text(path)) && error.contains(expected), "{refused:?}");
    }
}

/// A limit on the length of files stands in for a full disk.
#[cfg(unix)]
#[test]
fn a_disk_that_fills_up_keeps_the_games_that_were_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.rec");
    fs::write(&path, "of an earlier run").unwrap();
    // 200 blocks of 512 bytes: more than one buffer of games, and less than two.
    let limited = "ulimit -f 200; trap '' XFSZ; exec \"$0\" \"$@\"";
    let mut shell = Command::new("sh");
    harness::prepare(&mut shell).args(["-c", limited, env!("CARGO_BIN_EXE_runner")]);
    let failed = ran(shell.args(SMALL).args(["--games", "20k", "--records", text(&path)]));
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

/// Whoever reads has gone before the first line: that is a success, and silent.
#[test]
fn a_closed_pipe_is_a_success() {
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

/// Where errors cannot be read, the exit code still tells.
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

/// Starts a run that would take days, and comes back once it listens for interrupts.
#[cfg(target_os = "linux")]
#[track_caller]
fn endless(arguments: &[&str]) -> Child {
    let mut command = command(arguments);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    await_listening(&child, || true);
    child
}

/// What a run that was interrupted has come to, when it had played a little.
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
fn a_run_that_goes_on_after_an_interrupt_says_so_and_ends_at_the_second() {
    let deep = r#"expectimax(depth: 20, value: rows, table: "none")"#;
    let mut child = endless(&["eval", "--game", "2048", "--agent", deep, "--games", "2"]);
    interrupt(&child);
    let told = BufReader::new(child.stderr.take().unwrap());
    let note = told.lines().map(Result::unwrap).find(|line| line.contains("Ctrl-C once more"));
    assert!(note.is_some(), "the run ended");
    interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_evaluation_tells_what_it_has() {
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
fn an_interrupted_recording_is_a_whole_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.rec");
    let stopped = interrupted(&["--json", "--records", text(&path)]);
    assert_eq!(stopped.code, Some(130), "{stopped:?}");
    let games = stopped.json()["games"].as_u64().unwrap();
    // 20,000 games would take far longer than it was given; their number is written
    // with commas.
    let verified = run(&["replay", "verify", text(&path)]);
    assert_eq!(verified.code, Some(0), "{verified:?}");
    let told = verified.out.replace(',', "");
    assert!(told.contains(&format!("{games} games of ")), "{games} games: {verified:?}");
}

/// The counts that the rules' own tests hold against their slow reference, of the
/// trees that take a moment.
#[test]
fn perft_counts_the_known_trees() {
    let counts = include_str!("../../games/2048/tests/perft.txt");
    let lines = counts.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let mut compared = 0;
    for line in lines {
        let [game, position, depth, count] = line.split(" | ").collect::<Vec<_>>()[..] else {
            panic!("four columns are expected: {line}");
        };
        let count: u64 = count.parse().unwrap();
        // The larger ones are the library's to count: here it is the command.
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
fn completions_know_the_flags() {
    for shell in ["bash", "zsh", "fish"] {
        let script = run(&["completions", shell]);
        assert_eq!(script.code, Some(0));
        assert!(script.out.contains("game") && script.out.contains("perft"), "{shell}");
    }
    assert!(run(&["completions", "bash"]).out.contains("--game"));
}

/// What every command takes may stand before it or behind it; what only `run`
/// takes may not be lost before another command.
#[test]
fn flags_may_stand_before_a_command_that_takes_them() {
    let folder = tempfile::tempdir().unwrap();
    let folder = text(folder.path());
    for arguments in [
        ["--plugin-path", folder, "plugins", "list"],
        ["plugins", "list", "--plugin-path", folder],
        ["plugins", "--plugin-path", folder, "list"],
    ] {
        assert_eq!(run(&arguments).code, Some(0), "{arguments:?}");
    }
    let before = ["--games", "7", "eval", "--game", "2048", "--agent", "greedy"];
    misused(&before, &["behind"]);
}

#[test]
fn a_player_says_what_it_thinks_of_a_position() {
    let state = "0,2,4,0/0,0,0,0/0,2,0,0/0,0,0,0";
    let think =
        |agent: &'static str| ["think", "--game", "2048", "--agent", agent, "--state", state];
    let told = run(&[&think("expectimax(depth: 2)")[..], &["--json"]].concat()).json();
    let worths = told["worths"].as_array().unwrap();
    assert_eq!(worths.len(), 4, "{told}");
    let worth = |of: &Value| of["worth"].as_f64().unwrap();
    let chosen = worths.iter().find(|worth| worth["action"] == told["action"]).unwrap();
    assert!(worths.iter().all(|other| worth(other) <= worth(chosen)), "{told}");
    assert_eq!(told["facts"]["plies"], 2);
    // A value is a player, and one that tells no worths tells its choice.
    let told = run(&[&think("rows")[..], &["--json"]].concat()).json();
    assert_eq!(told["worths"].as_array().unwrap().len(), 4);
    let told = run(&think("greedy"));
    assert!(told.out.contains("chooses  "), "{}", told.out);
    let over =
        ["think", "--game", "2048(rows: 2, cols: 2)", "--agent", "rows", "--state", "2,4/4,2"];
    assert!(run(&over).out.contains("it is over"));
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
    let result = eval(&["--games", "5", "--json", "--time", "213503982334601d"]).json();
    assert_eq!(result["games"], 5);
}
