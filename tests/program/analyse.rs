//! Tests of `runner analyse` and `runner think --states`: many positions in the opinion of a player.

use crate::harness::place::Place;
use crate::harness::{Ran, expect_json, expect_usage_error};
use serde_json::Value;
use std::fs;

/// Returns a folder with recorded games of 3 x 3 cells by `agent`.
fn recorded(agent: &str) -> Place {
    let place = Place::new();
    let eval = ["eval", "--game", "2048(rows: 3, cols: 3)", "--games", "3", "--json"];
    expect_json(&place.run(&[&eval[..], &["--agent", agent, "--records", "a.rec"]].concat()));
    place
}

fn analyse(place: &Place, agent: &str, more: &[&str]) -> Ran {
    place.run(&[&["analyse", "a.rec", "--agent", agent], more].concat())
}

fn moves(report: &Value) -> u64 {
    report["moves"].as_array().unwrap().len() as u64
}

#[test]
fn player_agrees_with_its_own_moves_and_not_with_random_ones() {
    let agent = "expectimax(depth: 2)";
    let own = expect_json(&analyse(&recorded(agent), agent, &["--json"]));
    assert!(moves(&own) > 20);
    assert_eq!((own["matches"].as_u64().unwrap(), &own["mean_loss"]), (moves(&own), &0.0.into()));
    assert_eq!(own["worst"].as_array().unwrap().len(), 0);

    let place = recorded("random");
    let other = expect_json(&analyse(&place, agent, &["--json", "--mistakes", "3"]));
    assert!(other["matches"].as_u64().unwrap() < moves(&other));
    let worst: Vec<_> = other["worst"].as_array().unwrap().iter().flat_map(Value::as_u64).collect();
    let loss = |number: u64| other["moves"][number as usize - 1]["loss"].as_f64().unwrap();
    assert_eq!(worst.len(), 3);
    let largest = (1..=moves(&other)).map(loss).fold(0.0, f64::max);
    assert_eq!(loss(worst[0]), largest);
    assert!(worst.is_sorted_by(|&a, &b| loss(a) >= loss(b)));
    let text = analyse(&place, agent, &[]);
    assert!(text.out.contains("matches") && text.out.contains("position"), "{text:?}");
    assert!(text.out.lines().all(|line| line.chars().count() <= 80), "{}", text.out);
}

#[test]
fn result_does_not_depend_on_threads_and_names_the_game() {
    let place = recorded("random");
    let report = |threads, number| {
        let more = ["--json", "--threads", threads, "--game-number", number];
        expect_json(&analyse(&place, "expectimax(depth: 1)", &more))
    };
    assert_eq!(report("1", "2"), report("2", "2"));
    assert_eq!(report("1", "2")["number"], 2);
    assert_ne!(report("1", "2")["moves"], report("1", "1")["moves"]);
}

#[test]
fn player_without_values_is_compared_by_its_choices() {
    let report = expect_json(&analyse(&recorded("random"), "greedy-merges", &["--json"]));
    assert!(report["matches"].as_u64().unwrap() < moves(&report));
    assert!(!report["worst"].as_array().unwrap().is_empty());
}

#[test]
fn wrong_input_is_refused() {
    let place = recorded("random");
    expect_usage_error(&place.run(&["analyse", "--agent", "greedy"]), &["--records"]);
    expect_usage_error(&place.run(&["analyse", "a.rec"]), &["--agent"]);
    expect_usage_error(&analyse(&place, "tc-ntuple", &[]), &["model"]);
    let missing = place.run(&["analyse", "b.rec", "--agent", "greedy"]);
    assert!(missing.code == Some(1) && missing.error().contains("b.rec"), "{missing:?}");
    let number = analyse(&place, "greedy", &["--game-number", "9"]);
    assert!(number.code == Some(1) && number.error().contains("no game 9"), "{number:?}");
}

#[test]
fn choices_of_a_file_of_positions_are_those_of_single_ones() {
    let place = Place::new();
    let states = ["2,4,8/0,0,4/2,2,64", "2,0,0/0,0,0/0,4,0", "2,4,2/4,2,4/2,4,2"];
    let lines = format!("# positions\n\"{}\"\n\n{}\n{}", states[0], states[1], states[2]);
    fs::write(place.path("p.txt"), lines).unwrap();
    let think = ["think", "--game", "2048(rows: 3, cols: 3)", "--agent", "expectimax(depth: 2)"];
    let many = expect_json(&place.run(&[&think[..], &["--states", "p.txt", "--json"]].concat()));
    for (k, state) in states.into_iter().enumerate() {
        let one = expect_json(&place.run(&[&think[..], &["--state", state, "--json"]].concat()));
        for field in ["state", "action", "values"] {
            assert_eq!(many["positions"][k][field], one[field]);
        }
    }
    let csv = place.run(&[&think[..], &["--states", "p.txt"]].concat());
    let lines: Vec<_> = csv.out.lines().collect();
    assert_eq!(lines[0], "position,choice,up,right,down,left");
    assert!(lines[1].starts_with(&format!("\"{}\",", states[0])), "{csv:?}");
    assert_eq!(lines[3], format!("\"{}\",,,,,", states[2]), "the end of a game");

    fs::write(place.path("p.txt"), "2,4,8/0,0,4/2,2,64\n2,4/x").unwrap();
    let refused = place.run(&[&think[..], &["--states", "p.txt"]].concat());
    expect_usage_error(&refused, &["p.txt, line 2"]);
    let missing = place.run(&[&think[..], &["--states", "q.txt"]].concat());
    assert!(missing.code == Some(1) && missing.error().contains("q.txt"), "{missing:?}");
}
