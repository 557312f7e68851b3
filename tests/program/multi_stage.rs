//! Tests of `ms-td` as users train it: killed in its phases, and resumed.

use crate::harness::expect_json;
use crate::harness::place::Place;
use runner_core::Random;
use std::process::Stdio;
use std::time::Duration;

const TRAIN: [&str; 12] = [
    "train",
    "--game",
    "2048(rows: 2, cols: 3)",
    "--agent",
    r#"ms-td(stages: "16 32 64", boards: 2000, network: "013 0124")"#,
    "--moves",
    "3M",
    "--threads",
    "1",
    "--checkpoint",
    "10ms",
    "--json",
];

/// Maximum number of runs until a training is done: each of them is given more time.
const RUNS: u64 = 60;

/// Returns the mean score of a model's greedy policy.
fn mean(place: &Place, model: &str) -> f64 {
    let agent = format!("ms-td(model: \"{model}\")");
    let eval = ["eval", "--game", TRAIN[2], "--agent", &agent, "--games", "2000", "--json"];
    expect_json(&place.run(&eval))["score"]["mean"].as_f64().unwrap()
}

#[test]
fn killed_multi_stage_training_ends_as_good_as_an_undisturbed_one() {
    let place = Place::new();
    let flags = |model: &'static str| [&TRAIN[..], &["--model", model]].concat();
    expect_json(&place.run(&flags("whole.model")));
    let mut random = Random::from_word(5);
    let mut continued = 0;
    for run in 0.. {
        assert!(run < RUNS, "the training does not end within {RUNS} runs");
        let saved = place.path("killed.model").exists();
        continued += u64::from(saved);
        let resume = saved.then_some("--resume");
        let mut command = place.command(&[&flags("killed.model")[..], resume.as_slice()].concat());
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(50 * (run + 1) + u64::from(random.below(100))));
        match child.try_wait().unwrap() {
            None => child.kill().unwrap(),
            Some(status) => {
                assert!(status.success(), "{status}");
                break;
            }
        }
        child.wait().unwrap();
    }
    assert!(continued > 1, "it was continued {continued} times");
    let info = expect_json(&place.run(&["model", "info", "killed.model", "--json"]));
    assert_eq!(info[0]["facts"]["moves"], "3000000", "{info}");
    // The two are not equal: a resumed training discards its unfinished games, and a busy machine
    // allows many kills. Undisturbed trainings with 60 seeds score 320 to 415, killed ones 284 to
    // 408. Random moves score less than half.
    let (killed, whole) = (mean(&place, "killed.model"), mean(&place, "whole.model"));
    assert!((killed / whole - 1.0).abs() < 0.4, "{killed}, undisturbed {whole}");
}
