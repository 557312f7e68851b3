//! Tournaments that are refused: wrong files and flags, folders of others, damaged results.

use super::RESUME;
use crate::harness::place::Place;
use crate::harness::results::sealed;
use crate::harness::transcript::assert_snapshot;
use serde_json::Value;
use std::fs;

#[test]
fn folder_of_another_tournament_is_refused() {
    let place = Place::new();
    place.tournament("--games 5");
    let before = place.text("t/results.jsonl");
    let games = "--game '2048(rows: 3, cols: 3)' 't=threes(rows: 3, cols: 3)'";
    let refused = |line: &str, expected: &str| {
        let ran = place.sh(line);
        assert!(ran.code == Some(2) && ran.error().contains(expected), "{expected}: {ran:?}");
    };
    for (more, difference) in [
        ("--game threes --agent random", "it has the game `2048(rows: 3, cols: 3)`"),
        ("--seed 2", "its seed is 1, not 2"),
        ("--games 4", "it plays 5 games of each agent, not 4"),
        ("--move-limit 50", "its move limit is none, not 50"),
        ("--game-time 2s", "its time limit of games is none, not 2s"),
        (
            &format!("{games} --agent random=greedy greedy best=rows"),
            "its agent `random` is random",
        ),
        (&format!("{games} --agent random greedy"), "it has the agent `best`"),
    ] {
        let message = format!("t holds another tournament: {difference}; name another folder");
        refused(&format!("{RESUME} {more}"), &message);
    }
    // An edited configuration is not that of the results.
    let config = place.text("t/config.ron");
    fs::write(place.path("t/config.ron"), config.replacen("games: 5", "games: 6", 1)).unwrap();
    refused(RESUME, "undo the edit; to change the tournament, use flags, or name an edited copy");
    fs::write(place.path("t/config.ron"), config).unwrap();
    // Specs in messages are as people type them.
    let game = "x=2048(rows: 2, cols: 2)";
    place.done(format!("tournament --out u --game '{game}' --agent a=greedy-merges --games 2"));
    assert!(place.text("u/config.ron").contains("agent: greedy-merges"));
    refused(
        &format!("tournament --out u --resume --game '{game}' --agent a=random"),
        "its agent `a` is greedy-merges",
    );
    refused(
        "tournament --out u --resume --game x=2048 --agent a=random",
        "its game `x` is 2048(rows: 2, cols: 2, ",
    );
    refused("tournament --out none --resume", "none holds no tournament; leave out --resume");
    fs::create_dir(place.path("other")).unwrap();
    fs::write(place.path("other/notes.txt"), "a shopping list").unwrap();
    refused(
        "tournament --out other --game 2048 --agent random",
        "other holds other files than those of a tournament, such as notes.txt",
    );
    assert_eq!(place.text("t/results.jsonl"), before);
    assert_eq!(place.names_in("other"), ["notes.txt"]);
}

#[test]
fn replaced_model_is_named() {
    let place = Place::new();
    let game = "--game '2048(rows: 2, cols: 2)'";
    let train = format!("train {game} --agent tc-ntuple --moves 2k --force --model a.model --seed");
    let agent = "expectimax(depth: 1, value: tc-ntuple(model: \"a.model\"))";
    let players = format!("{game} --agent 'search={agent}' random");
    place.done(format!("{train} 1"));
    place.done(format!("tournament --out t {players} --games 5"));
    place.done(format!("shards plan --shards 2 --out p.json {players} --games 5"));
    place.done("shards run p.json --shard 1");
    let model = fs::read(place.path("a.model")).unwrap();
    place.done(format!("{train} 2"));
    let results = place.text("t/results.jsonl");
    let more = format!("{RESUME} --games 9");
    place.expect_replaced_model(&more, 2, "a.model");
    place.expect_replaced_model("shards run p.json --shard 1", 1, "a.model");
    assert_eq!(place.text("t/results.jsonl"), results);
    fs::write(place.path("a.model"), model).unwrap();
    place.done(more);
}

#[test]
fn damaged_results_are_named_with_their_line() {
    let place = Place::new();
    place.tournament("--games 5");
    let results = place.path("t/results.jsonl");
    let text = fs::read_to_string(&results).unwrap();
    let line = text.lines().nth(6).unwrap();
    let field = |name: &str| serde_json::from_str::<Value>(line).unwrap()[name].to_string();
    let replaced = |name: &str, value: &str| {
        let old = format!("\"{name}\":{}", field(name));
        assert!(line.contains(&old));
        line.replace(&old, &format!("\"{name}\":{value}"))
    };
    for (damage, expected) in [
        (
            replaced("score", "4242.0"),
            "is damaged: checksum mismatch: it is damaged, or was edited",
        ),
        (sealed("{\"game\":\"a\""), "is damaged: missing field `agent`"),
        (
            sealed(&replaced("agent", "\"absent\"")),
            "is not of this tournament: `absent` does not play ",
        ),
        (sealed(&replaced("seed", "7")), "is not of this tournament: its seed is 7, not "),
    ] {
        let damaged = text.replacen(line, &damage, 1);
        fs::write(&results, &damaged).unwrap();
        let refused = place.sh(RESUME);
        assert_eq!(refused.code, Some(1), "{refused:?}");
        let message = refused.error();
        assert!(message.starts_with("t/results.jsonl: line 7 "), "{message}");
        assert!(message.contains(expected), "{expected}: {message}");
        assert_eq!(fs::read_to_string(&results).unwrap(), damaged, "nothing is overwritten");
    }
    fs::write(&results, format!("{text}{line}\n")).unwrap();
    let twice = place.sh(RESUME);
    assert!(twice.code == Some(1) && twice.error().contains("is there twice"), "{twice:?}");
}

#[test]
fn everything_that_is_wrong_is_named_before_the_first_game() {
    let place = Place::new();
    let told = place.transcript(
        "tournament --game 2048 2084 'threes(rows: 99)' --agent random gredy 'expectimax(dept: 2)' tc-ntuple --out t
        tournament --agent random
        tournament --game '2048(rows: 2, cols: 2)' --agent random random",
    );
    let files = ["(game: [2048], agent: [])", "(game: [2048], agent: [random], gamez: 5)"];
    let files = place.transcript_of_files("t.ron", &files, "tournament t.ron");
    assert_snapshot!(told + &files + &place.transcript("tournament t.ron --agent random"));
    assert_eq!(place.names(), ["t.ron"]);
}
