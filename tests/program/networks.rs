//! Tests of the learners with networks as users train them: killed, resumed, played, damaged.

use crate::harness::place::Place;
use std::time::{Duration, Instant};

const POLICY: &str = "policy-net(max_moves: 10, batch_size: 50)";

/// Trains until there is a checkpoint, kills the process, and resumes. Returns the moves of the
/// killed training and of the resumed one.
fn kill_and_resume(place: &Place, game: &str, agent: &str) -> (u64, u64) {
    let train = format!("train --game '{game}' --agent '{agent}' --model a.model");
    let mut child = place.start_silent(format!("{train} --for 10m --checkpoint 1s"));
    let moves = || -> u64 {
        let info = place.json("model info a.model");
        info[0]["facts"]["moves"].as_str().unwrap().parse().unwrap()
    };
    // The first file is written before the first move.
    let began = Instant::now();
    while !place.path("a.model").exists() || moves() == 0 {
        assert!(began.elapsed() < Duration::from_secs(120), "there is no checkpoint");
        std::thread::sleep(Duration::from_millis(50));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    place.done("model verify a.model");
    let killed = moves();
    place.done(format!("{train} --resume --moves {} --json", killed + 1));
    (killed, moves())
}

#[test]
fn killed_multi_stage_training_resumes_from_its_checkpoint() {
    let place = Place::new();
    let game = "2048(rows: 2, cols: 3)";
    let agent = r#"ms-td(stages: "16 32 64", boards: 2000, network: "013 0124")"#;
    let (killed, resumed) = kill_and_resume(&place, game, agent);
    assert!(killed > 0 && resumed == killed + 1, "{killed} {resumed}");
    play(&place, game, "ms-td(model: \"a.model\")", 50);
}

/// Plays games without a fault.
#[track_caller]
fn play(place: &Place, game: &str, player: &str, games: u32) {
    let line = format!("eval --game '{game}' --games {games} --agent '{player}'");
    let played = place.json(line);
    assert_eq!((&played["games"], &played["faults"]), (&games.into(), &0.into()), "{player}");
}

#[test]
fn killed_training_of_a_policy_resumes_from_its_checkpoint() {
    let place = Place::new();
    let (killed, resumed) = kill_and_resume(&place, "2048", POLICY);
    // An epoch has at most 50 games of 10 moves.
    assert!(killed > 0 && resumed > killed && resumed <= killed + 500, "{killed} {resumed}");
    play(&place, "2048", "policy-net(model: \"a.model\")", 5);
    // Its probabilities guide a search.
    let search = "mcts(simulations: 8, prior: policy-net(model: \"a.model\"))";
    play(&place, "2048", search, 1);
    let refused = place.sh(format!("eval --game '2048(goal: 64)' --agent '{search}'"));
    assert!(refused.err.contains("a.model does not fit: its game is"), "{refused:?}");
}

#[test]
fn killed_training_by_tree_search_resumes_from_its_checkpoint() {
    let place = Place::new();
    let game = "2048(rows: 2, cols: 3)";
    let agent = "alpha-zero(simulations: 10, games: 16, simulators: 16, samples: 2000)";
    let (killed, resumed) = kill_and_resume(&place, game, agent);
    assert!(killed > 0 && resumed > killed && resumed <= killed + 16, "{killed} {resumed}");
    // By its own search, and as the value of another one.
    let player = "alpha-zero(model: \"a.model\", simulations: 20)";
    play(&place, game, player, 4);
    let search = "mcts(simulations: 20, value: alpha-zero(model: \"a.model\"))";
    play(&place, game, search, 4);
    let other = "alpha-zero(model: \"a.model\", hidden: 64)";
    let refused = place.sh(format!("eval --game '{game}' --agent '{other}'"));
    assert!(refused.err.contains("a.model does not fit: its network is"), "{refused:?}");
}
