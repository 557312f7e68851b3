//! `runner play --stdio`: a program drives a game.

use crate::harness::place::Place;
use crate::harness::session::Session;
use serde_json::{Value, json};

const GAMES: [&str; 3] = ["2048(rows: 3, cols: 3)", "threes", "1024(rows: 3, cols: 3)"];

/// Returns the first of the actions with the largest reward.
fn greedy(position: &Value) -> Value {
    let legal = position["legal"].as_array().unwrap();
    let reward = |action: &Value| action["reward"].as_f64().unwrap();
    let best = legal.iter().map(reward).fold(f64::MIN, f64::max);
    legal.iter().find(|action| reward(action) == best).unwrap()["action"].clone()
}

#[test]
fn games_are_those_of_an_evaluation_with_the_same_seed() {
    for game in GAMES {
        let eval = format!("eval --game '{game}' --agent greedy --games 4 --seed 7 --scores");
        let evaluated = Place::new().json(eval);
        let mut session = Session::start(&["--game", game, "--seed", "7"]);
        for expected in evaluated["scores"].as_array().unwrap() {
            let mut position = session.ask(&json!({ "type": "reset" }));
            let mut score = position["reward"].as_f64().unwrap();
            while position["terminal"] == false {
                position = session.ask(&json!({ "type": "step", "action": greedy(&position) }));
                score += position["reward"].as_f64().unwrap();
            }
            assert_eq!(position["score"], score);
            assert_eq!(position["score"].as_f64(), expected["score"].as_f64(), "{position}");
            assert_eq!(position["moves"], expected["moves"]);
            assert_eq!(position["max_tile"], expected["max_tile"]);
            assert_eq!((&position["legal"], &position["random"]), (&json!([]), &Value::Null));
        }
        session.end();
    }
}

#[test]
fn reset_selects_the_seed_the_game_and_the_position() {
    let mut session = Session::start(&["--game", GAMES[0]]);
    let mut reset = |request: Value| {
        let mut message = json!({ "type": "reset" });
        message.as_object_mut().unwrap().extend(request.as_object().unwrap().clone());
        session.ask(&message)
    };
    let first = reset(json!({ "seed": 5 }));
    let second = reset(json!({}));
    let third = reset(json!({}));
    assert_eq!(reset(json!({ "seed": 5, "game": 2 })), third);
    assert_eq!(reset(json!({ "game": 1 })), second);
    assert_eq!(reset(json!({})), third, "games are counted from the last one");
    assert_eq!(reset(json!({ "seed": 5 })), first);
    assert_ne!(reset(json!({ "seed": 6 })), first);

    let given = reset(json!({ "state": "2,2,0/0,0,0/0,0,0" }));
    assert_eq!(given["cells"], json!([[2, 2, 0], [0, 0, 0], [0, 0, 0]]));
    let legal: Vec<_> = given["legal"].as_array().unwrap().iter().collect();
    let left = legal.iter().find(|action| action["action"] == "left").unwrap();
    assert_eq!((&left["reward"], &left["cells"][0]), (&json!(4.0), &json!([4, 0, 0])));
    let mut again = || session.ask(&json!({ "type": "show" }));
    assert_eq!(again(), given);
    let stepped = session.ask(&json!({ "type": "step", "action": left["index"] }));
    assert_eq!((&stepped["reward"], &stepped["moves"]), (&json!(4.0), &json!(1)));
    session.end();
}
