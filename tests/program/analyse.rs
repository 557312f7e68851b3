//! Tests of `runner analyse`: a recorded game in the opinion of a player.

use crate::harness::place::Place;
use serde_json::Value;

/// Returns a folder with recorded games of 3 x 3 cells by `agent`.
fn recorded(agent: &str) -> Place {
    let place = Place::new();
    let game = "2048(rows: 3, cols: 3)";
    place.done(format!("eval --game '{game}' --games 3 --agent '{agent}' --records a.rec"));
    place
}

fn moves(report: &Value) -> u64 {
    report["moves"].as_array().unwrap().len() as u64
}

#[test]
fn player_agrees_with_its_own_moves_and_not_with_random_ones() {
    let agent = "expectimax(depth: 2)";
    let analyse = format!("analyse a.rec --agent '{agent}'");
    let own = recorded(agent).json(&analyse);
    assert!(moves(&own) > 20);
    assert_eq!((own["matches"].as_u64().unwrap(), &own["mean_loss"]), (moves(&own), &0.0.into()));
    assert_eq!(own["worst"].as_array().unwrap().len(), 0);

    let place = recorded("random");
    let other = place.json(&analyse);
    assert!(other["matches"].as_u64().unwrap() < moves(&other));
    let worst: Vec<_> = other["worst"].as_array().unwrap().iter().flat_map(Value::as_u64).collect();
    let loss = |number: u64| other["moves"][number as usize - 1]["loss"].as_f64().unwrap();
    assert_eq!(worst.len(), 10);
    let largest = (1..=moves(&other)).map(loss).fold(0.0, f64::max);
    assert_eq!(loss(worst[0]), largest);
    assert!(worst.is_sorted_by(|&a, &b| loss(a) >= loss(b)));
    let text = place.done(&analyse).out;
    assert!(text.contains("matches") && text.contains("position"), "{text}");
    assert!(text.contains("unit of losses  rating, not points"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}

#[test]
fn result_does_not_depend_on_threads_and_names_the_game() {
    let place = recorded("random");
    let report = |threads: u32, number: u32| {
        let more = format!("--threads {threads} --game-number {number}");
        place.json(format!("analyse a.rec --agent 'expectimax(depth: 1)' {more}"))
    };
    assert_eq!(report(1, 2), report(2, 2));
    assert_eq!(report(1, 2)["number"], 2);
    assert_ne!(report(1, 2)["moves"], report(1, 1)["moves"]);
}

#[test]
fn luck_is_that_of_the_evaluation_of_the_same_game() {
    let place = Place::new();
    let game = "--game '2048(rows: 2, cols: 3)'";
    place.done(format!("solve {game} --out table"));
    let exact = "'exact(model: \"table\")'";
    let eval = format!("eval {game} --agent greedy --games 3");
    let evaluated = place.json(format!("{eval} --luck {exact} --scores"));
    place.done(format!("{eval} --records a.rec"));
    for number in 0..3 {
        let analyse = format!("analyse a.rec --agent {exact} --game-number {number}");
        let analysed = place.json(analyse)["luck"]["total"].as_f64().unwrap();
        let luck = evaluated["scores"][number]["luck"].as_f64().unwrap();
        assert!((analysed - luck).abs() < 1e-6 * luck.abs().max(1.0), "{analysed} {luck}");
    }
}
