//! Tournaments whose model was replaced or whose results are damaged.

use super::RESUME;
use crate::harness::place::Place;
use serde_json::Value;
use std::fs;

#[test]
fn replaced_model_is_named() {
    let place = Place::new();
    let game = "--game '2048(rows: 2, cols: 2)'";
    let train = format!("train {game} --agent tc-ntuple --moves 2k --force --model a.model --seed");
    let agent = "expectimax(depth: 1, value: tc-ntuple(model: \"a.model\"))";
    let players = format!("{game} --agent 'search={agent}' random");
    place.done(format!("{train} 1"));
    place.done(format!("tournament --out t {players} --games 5"));
    let model = fs::read(place.path("a.model")).unwrap();
    place.done(format!("{train} 2"));
    let results = place.text("t/results.jsonl");
    let more = format!("{RESUME} --games 9");
    place.expect_replaced_model(&more, 2, "a.model");
    place.expect_replaced_model("tournament merge t --out m", 2, "a.model");
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
        (replaced("agent", "\"absent\""), "`absent` does not play "),
        (replaced("seed", "7"), "its seed is 7, not "),
    ] {
        let damaged = text.replacen(line, &damage, 1);
        fs::write(&results, &damaged).unwrap();
        let refused = place.sh(RESUME);
        assert_eq!(refused.code, Some(1), "{refused:?}");
        let message = refused.error();
        assert!(message.starts_with("t/results.jsonl: line 7 is damaged: "), "{message}");
        assert!(message.contains(expected), "{expected}: {message}");
        assert_eq!(fs::read_to_string(&results).unwrap(), damaged, "nothing is overwritten");
    }
    fs::write(&results, format!("{text}{line}\n")).unwrap();
    let twice = place.sh(RESUME);
    assert!(twice.code == Some(1) && twice.error().contains("is there twice"), "{twice:?}");
}
