//! Tournaments that are refused: wrong files and flags, folders of others, damaged results.

use super::WORDS;
use crate::harness::expect_usage_error;
use crate::harness::place::Place;
use crate::harness::results::sealed;
use serde_json::Value;
use std::fs;

#[test]
fn folder_of_another_tournament_is_refused() {
    let place = Place::new();
    assert_eq!(place.tournament(&["--games", "5"]).code, Some(0));
    let before = place.text("t/results.jsonl");
    let base = ["tournament", "--out", "t", "--resume"];
    for (words, expected) in [
        (&["--game", "threes", "--agent", "random"][..], "it has the game `2048(rows: 3"),
        (&["--seed", "2"], "its seed is 1, not 2"),
        (&["--games", "4"], "it plays 5 games of each agent, not 4"),
        (&["--move-limit", "50"], "the move limit is none, not 50, for its agent `random`"),
        (&["--game-time", "2s"], "the time limit of games is none, not 2s, for its agent"),
    ] {
        let refused = place.run(&[&base, words].concat());
        expect_usage_error(&refused, &["t holds another tournament", expected, "--out"]);
    }
    let other = [&WORDS[..5], &["random=greedy", "greedy", "best=rows", "--out", "t", "--resume"]];
    expect_usage_error(&place.run(&other.concat()), &["its agent `random` is random"]);
    let fewer = [&WORDS[..7], &["--out", "t", "--resume"]];
    expect_usage_error(&place.run(&fewer.concat()), &["it has the agent `best`"]);
    // An edited configuration is not that of the results.
    let config = place.text("t/config.ron");
    for (old, new) in [
        ("games: 5", "games: 6"),
        ("seed: 1,", "seed: 2,"),
        ("agent: greedy", "agent: random"),
        ("cols: 3", "cols: 4"),
        ("games: [", "games: "),
        ("// checksum ", "// more\n// checksum "),
        ("\n// checksum ", "\n// checksum 00000000\n// "),
    ] {
        assert!(config.contains(old), "{old}: {config}");
        fs::write(place.path("t/config.ron"), config.replacen(old, new, 1)).unwrap();
        let parts = ["t/config.ron: checksum mismatch", "undo the edit"];
        expect_usage_error(&place.run(&base), &parts);
    }
    let (without, _) = config.split_once("// checksum").unwrap();
    fs::write(place.path("t/config.ron"), without.replace("cols: 3", "cols: 4")).unwrap();
    let parts = ["t/config.ron: its last line, a checksum, is missing", "undo the edit"];
    expect_usage_error(&place.run(&base), &parts);
    // Line ends of Windows are no edit.
    for same in [&config.replace('\n', "\r\n"), &format!("{config}\n")] {
        fs::write(place.path("t/config.ron"), same).unwrap();
        assert_eq!(place.run(&base).code, Some(0));
        assert_eq!(place.text("t/config.ron"), config);
    }
    // Specs in messages are as people type them.
    let run = |words: &[&str]| {
        place.run(
            &[&["tournament", "--out", "u", "--game", "x=2048(rows: 2, cols: 2)"], words].concat(),
        )
    };
    assert_eq!(run(&["--agent", "a=greedy-merges", "--games", "2"]).code, Some(0));
    assert!(place.text("u/config.ron").contains("agent: r#greedy-merges"));
    expect_usage_error(
        &run(&["--agent", "a=random", "--resume"]),
        &["agent `a` is greedy-merges;"],
    );
    let game = place.run(&[
        "tournament",
        "--out",
        "u",
        "--resume",
        "--game",
        "x=2048",
        "--agent",
        "a=random",
    ]);
    expect_usage_error(&game, &["its game `x` is 2048(rows: 2"]);
    assert_eq!(place.text("t/results.jsonl"), before);

    let none = place.run(&["tournament", "--out", "none", "--resume"]);
    expect_usage_error(&none, &["none holds no tournament", "leave out --resume"]);
    fs::create_dir(place.path("other")).unwrap();
    fs::write(place.path("other/notes.txt"), "a shopping list").unwrap();
    let words = [&WORDS[..8], &["--out", "other"]].concat();
    expect_usage_error(&place.run(&words), &["other holds other files", "--out"]);
    assert_eq!(fs::read_dir(place.path("other")).unwrap().count(), 1);
}

#[test]
fn replaced_model_is_named() {
    let place = Place::new();
    let game = "2048(rows: 2, cols: 2)";
    let train = |seed: &str| {
        let words = ["train", "--game", game, "--agent", "tc-ntuple", "--moves", "2k", "--force"];
        let ran = place.run(&[&words[..], &["--model", "a.model", "--seed", seed]].concat());
        assert_eq!(ran.code, Some(0), "{ran:?}");
    };
    train("1");
    let agent = "search=expectimax(depth: 1, value: tc-ntuple(model: \"a.model\"))";
    let words = ["--game", game, "--agent", agent, "random", "--games", "5"];
    let play = |words: &[&str]| place.run(&[&["tournament", "--out", "t"], words].concat());
    assert_eq!(play(&words).code, Some(0));
    let plan = [&["shards", "plan", "--shards", "2", "--out", "p.json"], &words[..]].concat();
    assert_eq!(place.run(&plan).code, Some(0));
    let shard = ["shards", "run", "p.json", "--shard", "1"];
    assert_eq!(place.run(&shard).code, Some(0));
    let model = fs::read(place.path("a.model")).unwrap();
    train("2");
    let results = place.text("t/results.jsonl");
    let parts = ["its model a.model was replaced", "restore the file"];
    let refused = play(&["--resume", "--games", "9"]);
    expect_usage_error(&refused, &parts);
    assert!(refused.err.contains("restore the file, or name another folder"), "{refused:?}");
    assert!(!refused.err.contains("everything that this one has"), "{refused:?}");
    let elsewhere = place.run(&shard);
    assert_eq!(elsewhere.code, Some(1), "{elsewhere:?}");
    assert!(parts.iter().all(|part| elsewhere.error().contains(part)), "{elsewhere:?}");
    assert_eq!(place.text("t/results.jsonl"), results);
    fs::write(place.path("a.model"), model).unwrap();
    assert_eq!(play(&["--resume", "--games", "9"]).code, Some(0));
}

#[test]
fn damaged_results_are_named_with_their_line() {
    let place = Place::new();
    assert_eq!(place.tournament(&["--games", "5"]).code, Some(0));
    let results = place.path("t/results.jsonl");
    let text = fs::read_to_string(&results).unwrap();
    let line = text.lines().nth(6).unwrap();
    let field = |name: &str| serde_json::from_str::<Value>(line).unwrap()[name].to_string();
    let replaced = |name: &str, value: &str| {
        let old = format!("\"{name}\":{}", field(name));
        assert!(line.contains(&old));
        line.replace(&old, &format!("\"{name}\":{value}"))
    };
    let invalid = |name: &str, value: &str| sealed(&replaced(name, value));
    for (damage, expected) in [
        ("{\"game\":7".to_owned(), "without a checksum"),
        (String::new(), "without a checksum"),
        (sealed("{\"game\":7"), "invalid type"),
        (sealed("{\"game\":\"a\""), "missing field"),
        (replaced("score", "4242.0"), "checksum mismatch"),
        (replaced("check", "\"00000000\""), "checksum mismatch"),
        (line.replacen("\"number\"", "\"numbers\"", 1), "checksum mismatch"),
        (sealed(&line.replacen("\"number\"", "\"numbers\"", 1)), "unknown field"),
        (invalid("score", "null"), "either a score or a fault"),
        (invalid("seconds", "-1.0"), "its time is negative"),
        (invalid("moves", &u64::MAX.to_string()), "no game has"),
        (invalid("fault", "null,\"move_times\":[[40,1]]"), "`move_times`"),
        (invalid("fault", "null,\"move_times\":[[4000,1]]"), "histogram"),
    ] {
        let damaged = text.replacen(line, &damage, 1);
        fs::write(&results, &damaged).unwrap();
        for threads in ["1", "3"] {
            let words = ["tournament", "--out", "t", "--resume", "--threads", threads];
            let refused = place.run(&words);
            assert_eq!(refused.code, Some(1), "{refused:?}");
            for part in ["results.jsonl: line 7 is damaged", expected, "remove the line"] {
                assert!(refused.error().contains(part), "{part}: {refused:?}");
            }
            assert_eq!(fs::read_to_string(&results).unwrap(), damaged, "nothing is overwritten");
        }
    }
    for (foreign, expected) in [
        (invalid("agent", "\"absent\""), "`absent` does not play"),
        (invalid("seed", "7"), "its seed is 7"),
        (invalid("number", "5"), "there are 5 games"),
    ] {
        fs::write(&results, text.replacen(line, &foreign, 1)).unwrap();
        let refused = place.run(&["tournament", "--out", "t", "--resume"]);
        assert_eq!(refused.code, Some(1), "{refused:?}");
        for part in ["line 7 is not of this tournament", expected, "config.ron", "remove the line"]
        {
            assert!(refused.error().contains(part), "{part}: {refused:?}");
        }
    }
    // Line ends of Windows, and new lines after them.
    fs::write(&results, text.replace('\n', "\r\n")).unwrap();
    let windows = place.run(&["tournament", "--out", "t", "--resume", "--games", "6"]);
    assert!(windows.code == Some(0) && windows.err.contains("30 games were"), "{windows:?}");
    let again = place.run(&["tournament", "--out", "t", "--resume"]);
    assert!(again.code == Some(0) && again.err.contains("36 games were"), "{again:?}");
    fs::write(&results, format!("{text}{line}\n")).unwrap();
    let twice = place.run(&["tournament", "--out", "t", "--resume"]);
    assert!(twice.code == Some(1) && twice.error().contains("is there twice"), "{twice:?}");
}

#[test]
fn everything_that_is_wrong_is_named_before_the_first_game() {
    let place = Place::new();
    let games = ["--game", "2048", "2084", "threes(rows: 99)"];
    let agents = ["--agent", "random", "gredy", "expectimax(dept: 2)", "tc-ntuple"];
    let words = [&["tournament"], &games[..], &agents, &["--out", "t"]].concat();
    expect_usage_error(
        &place.run(&words),
        &["`2084`", "`threes(rows: 99)`", "`gredy`", "did you mean `greedy`", "dept", "tc-ntuple"],
    );
    let run = |words: &[&str]| place.run(&[&["tournament"], words].concat());
    let game = "2048(rows: 2, cols: 2)";
    expect_usage_error(&run(&["--game", game]), &["--agent is missing"]);
    expect_usage_error(&run(&["--agent", "random"]), &["--game is missing"]);
    let twice = run(&["--game", game, "--agent", "random", "random"]);
    expect_usage_error(&twice, &["two agents have the label `random`", "second=SPEC"]);
    let preset = run(&["--game", game, "--agent", "random", "--preset", "chess"]);
    assert!(preset.code == Some(2) && preset.err.contains("bot-contest"), "{preset:?}");
    for (file, expected) in [
        (
            "(game: [2048], agent: [(label: \"a\", agent: random, games: [\"x\"])])",
            "it plays `x`",
        ),
        ("(game: [2048], agent: [])", "at least one agent"),
        ("(game: [2048], agent: [(label: \"a\")])", "agent"),
        ("(game: [2048], agent: [random], gamez: 5)", "did you mean `games`"),
        ("(game: [(game: 2048, win: 7)], agent: [random])", "`win` is 7"),
        ("(game: [2048], agent: [random], games: 0)", "must be 1 to"),
    ] {
        fs::write(place.path("t.ron"), file).unwrap();
        expect_usage_error(&place.run(&["tournament", "t.ron"]), &[expected]);
    }
    // An unknown label hides nothing.
    let file = r#"(
        game: [(label: "small", game: 2048(rows: 2, cols: 2)), 2084],
        agent: [(label: "a", agent: random, games: ["smal", "tiny"]), gredy, gredy],
    )"#;
    fs::write(place.path("t.ron"), file).unwrap();
    expect_usage_error(
        &place.run(&["tournament", "t.ron"]),
        &["agent `a`: it plays `smal`, `tiny`", "`2084`", "did you mean `greedy`", "two agents"],
    );
    let both = place.run(&["tournament", "t.ron", "--agent", "random"]);
    assert!(both.code == Some(2) && both.err.contains("cannot be used with"), "{both:?}");
    assert_eq!(place.names(), ["t.ron"]);
}
