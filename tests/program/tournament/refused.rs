//! Tournaments that are refused: wrong files and flags, folders of others, damaged results.

use super::WORDS;
use crate::harness::expect_usage_error;
use crate::harness::place::Place;
use crate::harness::results::sealed;
use crate::harness::transcript::assert_snapshot;
use serde_json::Value;
use std::fs;

#[test]
fn folder_of_another_tournament_is_refused() {
    let place = Place::new();
    assert_eq!(place.tournament(&["--games", "5"]).code, Some(0));
    let before = place.text("t/results.jsonl");
    let base = ["tournament", "--out", "t", "--resume"];
    let mut told = place.transcript(
        "tournament --out t --resume --game threes --agent random
        tournament --out t --resume --seed 2
        tournament --out t --resume --games 4
        tournament --out t --resume --move-limit 50
        tournament --out t --resume --game-time 2s",
    );
    let other = [&WORDS[..5], &["random=greedy", "greedy", "best=rows", "--out", "t", "--resume"]];
    told += &place.run(&other.concat()).err;
    let fewer = [&WORDS[..7], &["--out", "t", "--resume"]];
    told += &place.run(&fewer.concat()).err;
    // An edited configuration is not that of the results.
    let config = place.text("t/config.ron");
    for (old, new) in [
        ("games: 5", "games: 6"),
        ("seed: 1,", "seed: 2,"),
        ("agent: greedy", "agent: random"),
        ("cols: 3", "cols: 4"),
        ("game: [", "game: "),
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
    let words = ["tournament", "--out", "u", "--game", "x=2048(rows: 2, cols: 2)", "--agent"];
    let begun = place.run(&[&words[..], &["a=greedy-merges", "--games", "2"]].concat());
    assert_eq!(begun.code, Some(0));
    assert!(place.text("u/config.ron").contains("agent: r#greedy-merges"));
    fs::create_dir(place.path("other")).unwrap();
    fs::write(place.path("other/notes.txt"), "a shopping list").unwrap();
    told += &place.transcript(
        "tournament --out u --resume --game 'x=2048(rows: 2, cols: 2)' --agent a=random
        tournament --out u --resume --game x=2048 --agent a=random
        tournament --out none --resume
        tournament --out other --game 2048 --agent random",
    );
    assert_snapshot!(told);
    assert_eq!(place.text("t/results.jsonl"), before);
    assert_eq!(fs::read_dir(place.path("other")).unwrap().count(), 1);
}

#[test]
fn replaced_model_is_named() {
    let place = Place::new();
    let game = "2048(rows: 2, cols: 2)";
    let train = |seed: &str| {
        let words = ["train", "--game", game, "--agent", "tc-ntuple", "--moves", "2k", "--force"];
        place.run(&[&words[..], &["--model", "a.model", "--seed", seed]].concat()).success();
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
    let mut told = String::new();
    for damage in [
        "{\"game\":7".to_owned(),
        String::new(),
        sealed("{\"game\":7"),
        sealed("{\"game\":\"a\""),
        replaced("score", "4242.0"),
        replaced("check", "\"00000000\""),
        line.replacen("\"number\"", "\"numbers\"", 1),
        sealed(&line.replacen("\"number\"", "\"numbers\"", 1)),
        invalid("score", "null"),
        invalid("seconds", "-1.0"),
        invalid("moves", &u64::MAX.to_string()),
        invalid("fault", "null,\"move_times\":[[40,1]]"),
        invalid("fault", "null,\"move_times\":[[4000,1]]"),
        // Lines of another tournament.
        invalid("agent", "\"absent\""),
        invalid("seed", "7"),
        invalid("number", "5"),
    ] {
        let damaged = text.replacen(line, &damage, 1);
        fs::write(&results, &damaged).unwrap();
        let refused = ["1", "3"].map(|threads| {
            let words = ["tournament", "--out", "t", "--resume", "--threads", threads];
            place.printed(&place.run(&words))
        });
        assert_eq!(refused[0], refused[1]);
        assert!(refused[0].ends_with("exit code 1\n"), "{}", refused[0]);
        assert_eq!(fs::read_to_string(&results).unwrap(), damaged, "nothing is overwritten");
        // Which game is in line 7 depends on the threads.
        let game = format!("play {} in it", field("game").trim_matches('"'));
        let text = refused[0].replace(&field("seed"), "SEED").replace(&game, "play GAME in it");
        told += &match text.split_once(" at line 1 column ") {
            Some((before, after)) => before.to_owned() + after.trim_start_matches(char::is_numeric),
            None => text,
        };
    }
    assert_snapshot!(told);
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
    let told = place.transcript(
        "tournament --game 2048 2084 'threes(rows: 99)' --agent random gredy 'expectimax(dept: 2)' tc-ntuple --out t
        tournament --game '2048(rows: 2, cols: 2)'
        tournament --agent random
        tournament --game '2048(rows: 2, cols: 2)' --agent random random
        tournament --game '2048(rows: 2, cols: 2)' --agent random --preset chess",
    );
    let files = [
        "(game: [2048], agent: [(label: \"a\", agent: random, games: [\"x\"])])",
        "(game: [2048], agent: [])",
        "(game: [2048], agent: [(label: \"a\")])",
        "(game: [2048], agent: [random], gamez: 5)",
        "(game: [(game: 2048, win: 7)], agent: [random])",
        "(game: [2048], agent: [random], games: 0)",
        // An unknown label hides nothing.
        "(game: [(label: \"small\", game: 2048(rows: 2, cols: 2)), 2084],
            agent: [(label: \"a\", agent: random, games: [\"smal\", \"tiny\"]), gredy, gredy])",
    ];
    let files = place.transcript_of_files("t.ron", &files, "tournament t.ron");
    assert_snapshot!(told + &files + &place.transcript("tournament t.ron --agent random"));
    assert_eq!(place.names(), ["t.ron"]);
}
