//! The options of the command line and of configuration files: both accept the same names,
//! forms and ranges, and errors name the place and the allowed values.

use crate::harness::{self, Ran, run, text};
use std::fs;

/// A small game and its player.
const SMALL: [&str; 5] = ["eval", "--game", "2048(rows: 2, cols: 2)", "--agent", "greedy"];

/// Runs a wrong command line. Its error names these things.
#[track_caller]
pub fn expect_usage_error(arguments: &[&str], expected: &[&str]) -> Ran {
    println!("{arguments:?}:");
    let refused = run(arguments);
    harness::expect_usage_error(&refused, expected);
    refused
}

#[test]
fn wrong_specs_are_refused_with_the_place_and_the_allowed_names() {
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
        expect_usage_error(&["eval", "--game", game, "--agent", "greedy"], expected);
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
        expect_usage_error(&["eval", "--game", "2048", "--agent", agent], expected);
    }
}

#[test]
fn the_place_of_an_error_is_underlined() {
    let refused =
        expect_usage_error(&["eval", "--game", "2048(rows: 9)", "--agent", "greedy"], &[]);
    assert_eq!(refused.error_lines()[1..], ["2048(rows: 9)", "           ^"], "{refused:?}");
}

#[test]
fn missing_and_unknown_arguments_are_named() {
    expect_usage_error(&["eval", "--agent", "greedy"], &["--game is missing", "2048"]);
    expect_usage_error(&["eval", "--game", "2048"], &["--agent is missing", "greedy", "random"]);
    expect_usage_error(&["--game", "2048"], &["--agent is missing"]);
    expect_usage_error(&["eval"], &["--game is missing"]);
    expect_usage_error(&["eval", "--gmae", "2048"], &["unexpected argument '--gmae'"]);
    expect_usage_error(&["evaluate"], &["unrecognized subcommand 'evaluate'"]);
    expect_usage_error(&[&SMALL[..], &["--games", "many"]].concat(), &["'many'", "--games"]);
    expect_usage_error(&[&SMALL[..], &["--games", "-1"]].concat(), &["'-1'"]);
    expect_usage_error(&[&SMALL[..], &["--threads", "0"]].concat(), &["--threads", "1 to 1,024"]);
    expect_usage_error(&[&SMALL[..], &["--for", "60"]].concat(), &["--for", "60s"]);
    expect_usage_error(&[&SMALL[..], &["--seed", "x"]].concat(), &["--seed"]);
    expect_usage_error(&["perft", "--game", "2048"], &["--depth"]);
    expect_usage_error(&["perft", "--depth", "1"], &["--game"]);
    expect_usage_error(
        &["perft", "--depth", "4000000000", "--game", "2048"],
        &["--depth", "1,000"],
    );
    expect_usage_error(&["perft", "--game", "2048", "--depth", "1", "--move", "3"], &["required"]);
    let refused = expect_usage_error(&["replay", "verify"], &["required"]);
    assert!(refused.err.contains("<FILE>"), "{refused:?}");
    let place = ["perft", "--game", "2048(rows: 2, cols: 2)", "--depth", "1", "--state"];
    expect_usage_error(
        &[&place[..], &["2,0/0,3"]].concat(),
        &["the position is not one of 2048(", "3"],
    );
    expect_usage_error(&[&place[..], &[""]].concat(), &["the position is not one of"]);
    let refused = expect_usage_error(&["completions", "tcsh"], &["'tcsh'"]);
    assert!(refused.err.contains("possible values: bash"), "{refused:?}");
    for help in ["--help", "--version"] {
        let helped = run(&[help]);
        assert!(helped.code == Some(0) && !helped.out.is_empty() && helped.err.is_empty());
    }
}

#[test]
fn flags_take_precedence_over_the_configuration_file() {
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
fn wrong_configuration_files_are_refused_with_the_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wrong.ron");
    let wrong: [(&str, &[&str]); 12] = [
        ("(\n    game: 2048,\n    agnet: greedy,\n)", &["line 3", "`agnet`", "mean `agent`"]),
        ("(\n    game: 2048,\n    games: many,\n)", &["line 3", "parameter `games`", "many"]),
        ("(\n    game: 2048(rows: 3,\n    agent: greedy\n", &["`(` is not closed"]),
        ("(\n    game: \"2048(rows: 9\",\n)", &["line 2", "parameter `game`", "not closed"]),
        ("(game: 2048, threads: 0)", &["parameter `threads`", "1 to 1,024"]),
        ("(game: 2048, threads: 100000)", &["parameter `threads`", "1 to 1,024"]),
        ("(game: 2048, for: 60)", &["parameter `for`", "unit"]),
        ("(game: 2048)", &["--agent is missing"]),
        ("(agent: greedy)", &["--game is missing"]),
        ("(game: 2048,\nseed: 1)\nseed: 2", &["line 3", "unexpected `seed` after the end"]),
        ("", &["found the end of the text"]),
        ("\u{7f}ELF\0\0", &["expected a value"]),
    ];
    for (content, expected) in wrong {
        fs::write(&path, content).unwrap();
        let arguments = ["eval", "--config", text(&path)];
        // Missing options are named by their flags, without the file.
        let file = if expected[0].starts_with("--") { "" } else { text(&path) };
        expect_usage_error(&arguments, &[&[file], expected].concat());
    }
    fs::write(&path, "(game: 2048(\n  rows: 9), agent: greedy)").unwrap();
    expect_usage_error(&["eval", "--config", text(&path)], &["parameter `rows`", "line 2"]);
    fs::write(&path, [0xff, 0xfe, 0x00]).unwrap();
    expect_usage_error(&["eval", "--config", text(&path)], &[text(&path), "UTF-8"]);
    let none = folder.path().join("none.ron");
    expect_usage_error(&["eval", "--config", text(&none)], &[text(&none), "No such file"]);
}

/// Returns the words of a text that begin with two hyphens.
fn flags(text: &str) -> Vec<&str> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    words.filter(|word| word.len() > 2 && word.starts_with("--")).collect()
}

#[test]
fn completions_list_every_flag_of_every_command() {
    let scripts = ["bash", "zsh", "fish"].map(|shell| (shell, run(&["completions", shell]).out));
    for command in [
        "run",
        "train",
        "eval",
        "tournament",
        "compare",
        "tune",
        "solve",
        "think",
        "perft",
        "bench",
    ] {
        let help = run(&[command, "--help"]).out;
        let flags = flags(&help);
        assert!(flags.len() > 2, "{help}");
        for (shell, script) in &scripts {
            assert!(script.contains(command), "{shell}: {command}");
            for flag in &flags {
                let flag = if *shell == "fish" { flag.trim_start_matches('-') } else { flag };
                assert!(script.contains(flag), "{shell}: {command} {flag}");
            }
        }
    }
}

#[test]
fn help_fits_a_terminal() {
    let bare = run::<&str>(&[]);
    assert_eq!((bare.code, bare.out.as_str()), (Some(2), ""), "{bare:?}");
    assert!(bare.err.lines().count() < 24, "{}", bare.err);
    let mut texts = vec![bare.err];
    for command in ["eval", "train", "tune", "perft", "plugins", "model"] {
        texts.push(run(&[command, "--help"]).out);
    }
    for line in texts.iter().flat_map(|text| text.lines()) {
        assert!(line.chars().count() <= 80, "{line}");
    }
}

/// A configuration file takes every option with the forms and ranges of its flag.
#[test]
fn files_take_the_options_of_the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("small.ron");
    let small = "game: \"2048(rows: 2, cols: 2)\", agent: \"greedy\", json: true";
    let eval = |command: &str, more: &str| {
        fs::write(&path, format!("({small}, {more})")).unwrap();
        run(&[command, "--config", text(&path)])
    };
    for (games, expected) in [("1k", 1000), ("1.5k", 1500), ("\"1,000\"", 1000), ("1_0", 10)] {
        assert_eq!(eval("eval", &format!("games: {games}")).json()["games"], expected, "{games}");
    }
    assert_eq!(eval("eval", "games: 9, for: 60s, game_time: \"1m\"").json()["games"], 9);
    assert_eq!(eval("run", "games: 9, for: 1s").json()["games"], 9);
    expect_usage_error(&["eval", "--config", "/dev/zero"], &["/dev/zero", "1 MiB"]);
}

#[test]
fn files_are_overwritten_by_force_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("precious.model");
    fs::write(&path, "months of training").unwrap();
    let solve = ["solve", "--game", "2048(rows: 2, cols: 2)", "--out", text(&path)];
    let eval = [&SMALL[..], &["--games", "2", "--records", text(&path)]].concat();
    for arguments in [&solve[..], &eval] {
        expect_usage_error(arguments, &[text(&path), "--force"]);
        assert_eq!(fs::read_to_string(&path).unwrap(), "months of training");
    }
    for arguments in [&solve[..], &eval] {
        assert_eq!(run(&[arguments, &["--force"]].concat()).code, Some(0));
    }
    assert_eq!(run(&["replay", "verify", text(&path)]).code, Some(0));
}

/// Common flags may stand before or behind a command. Flags of `run` before another command
/// are refused, because that command would ignore them.
#[test]
fn no_flag_is_ignored() {
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
    expect_usage_error(&before, &["--games", "before `eval`"]);
    let before = ["--for", "2h", "train", "--game", "2048", "--agent", "tc-ntuple"];
    expect_usage_error(&before, &["--for", "before `train`"]);
    let scores = run(&[&SMALL[..], &["--scores"]].concat());
    assert!(scores.code == Some(2) && scores.err.contains("\n  --json\n"), "{scores:?}");
    let idle = run(&[
        "--game",
        "2048(rows: 2, cols: 2)",
        "--agent",
        "random",
        "--games",
        "1",
        "--for",
        "5s",
    ]);
    assert_eq!(idle.code, Some(0), "{idle:?}");
    idle.only_line("note: --for has no effect: `random`");
}

#[test]
fn negative_numbers_are_refused_with_the_allowed_ones() {
    for (flag, value) in [("--games", "-5"), ("--seed", "-1"), ("--threads", "-2")] {
        expect_usage_error(
            &[&SMALL[..], &[flag, value]].concat(),
            &[value, flag, "cannot be negative"],
        );
    }
}
