//! Tests of the learners with networks as users train them: killed, resumed, played, damaged.

use crate::harness::place::Place;
use crate::harness::{expect_json, expect_usage_error};
use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

const POLICY: &str = "policy-net(max_moves: 10, batch_size: 50)";

/// Trains until there is a checkpoint, kills the process, and resumes. Returns the moves of the
/// killed training and of the resumed one.
fn kill_and_resume(place: &Place, game: &str, agent: &str) -> (u64, u64) {
    let train = ["train", "--game", game, "--agent", agent, "--model", "a.model"];
    let more = ["--for", "10m", "--checkpoint", "1s"];
    let mut command = place.command(&[&train[..], &more].concat());
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let moves = |place: &Place| -> u64 {
        let info = expect_json(&place.run(&["model", "info", "a.model", "--json"]));
        info[0]["facts"]["moves"].as_str().unwrap().parse().unwrap()
    };
    // The first file is written before the first move.
    let began = Instant::now();
    while !place.path("a.model").exists() || moves(place) == 0 {
        assert!(began.elapsed() < Duration::from_secs(120), "there is no checkpoint");
        std::thread::sleep(Duration::from_millis(50));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    place.run(&["model", "verify", "a.model"]).success();
    let killed = moves(place);
    let limit = (killed + 1).to_string();
    let resumed = place.run(&[&train[..], &["--resume", "--moves", &limit, "--json"]].concat());
    expect_json(&resumed);
    (killed, moves(place))
}

#[test]
fn killed_training_of_a_policy_resumes_from_its_checkpoint() {
    let place = Place::new();
    let (killed, resumed) = kill_and_resume(&place, "2048", POLICY);
    // An epoch has at most 50 games of 10 moves.
    assert!(killed > 0 && resumed > killed && resumed <= killed + 500, "{killed} {resumed}");
    let player = "policy-net(model: \"a.model\")";
    let eval = ["eval", "--game", "2048", "--games", "5", "--json"];
    let played = expect_json(&place.run(&[&eval[..], &["--agent", player]].concat()));
    assert_eq!((&played["games"], &played["faults"]), (&5.into(), &0.into()));
    // Its probabilities guide a search.
    let search = "mcts(simulations: 8, prior: policy-net(model: \"a.model\"))";
    let game = "2048(goal: 64)";
    let refused = place.run(&["eval", "--game", game, "--agent", search, "--games", "1"]);
    assert_eq!(refused.code, Some(2), "a model of another game: {refused:?}");
    let played =
        expect_json(&place.run(&[&eval[..4], &["1", "--json", "--agent", search]].concat()));
    assert_eq!(played["faults"], 0);
}

#[test]
fn weights_are_written_as_tensors_and_damaged_models_are_refused() {
    let place = Place::new();
    let train = ["train", "--game", "2048", "--agent", POLICY, "--moves", "1000"];
    let trained = place.run(&[&train[..], &["--model", "a.model", "--json"]].concat());
    assert_eq!(expect_json(&trained)["moves"], 1000);
    place.run(&["model", "convert", "a.model", "a.safetensors"]).success();
    let bytes = fs::read(place.path("a.safetensors")).unwrap();
    let header = String::from_utf8_lossy(&bytes[8..1000.min(bytes.len())]).into_owned();
    assert!(header.contains("layer2.weight") && header.contains("[100,4]"), "{header}");

    let small = "2048(rows: 3, cols: 3)";
    let player = "policy-net(model: \"a.model\")";
    let refused = place.run(&["eval", "--game", small, "--agent", player, "--games", "1"]);
    expect_usage_error(&refused, &["a.model does not fit", "rows: 3"]);
    let mut bytes = fs::read(place.path("a.model")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(place.path("a.model"), bytes).unwrap();
    let verified = place.run(&["model", "verify", "a.model"]);
    assert_eq!(verified.code, Some(1), "{verified:?}");
    let refused = place.run(&["eval", "--game", "2048", "--agent", player, "--games", "1"]);
    assert!(refused.code != Some(0) && refused.err.contains("a.model is damaged"), "{refused:?}");
    let pig = place.run(&["eval", "--game", "2048", "--agent", "policy-net(lr: -1)"]);
    expect_usage_error(&pig, &["`lr`", "above 0"]);
}

#[test]
fn killed_training_by_tree_search_resumes_from_its_checkpoint() {
    let place = Place::new();
    let game = "2048(rows: 2, cols: 3)";
    let agent = "alpha-zero(simulations: 10, games: 16, simulators: 16, samples: 2000)";
    let (killed, resumed) = kill_and_resume(&place, game, agent);
    assert!(killed > 0 && resumed > killed && resumed <= killed + 16, "{killed} {resumed}");
    let eval = ["eval", "--game", game, "--games", "4", "--json", "--agent"];
    // By its own search, and as the value of another one.
    let players = [
        "alpha-zero(model: \"a.model\", simulations: 20)",
        "mcts(simulations: 20, value: alpha-zero(model: \"a.model\"))",
    ];
    for player in players {
        let played = expect_json(&place.run(&[&eval[..], &[player]].concat()));
        assert_eq!((&played["games"], &played["faults"]), (&4.into(), &0.into()), "{player}");
    }
    let other = "alpha-zero(model: \"a.model\", hidden: 64)";
    expect_usage_error(&place.run(&[&eval[..], &[other]].concat()), &["hidden:128", "hidden:64"]);
    let refused = place.run(&["eval", "--game", "2048", "--agent", players[0], "--games", "1"]);
    expect_usage_error(&refused, &["a.model does not fit", "rows: 2"]);
}
