//! Tests of `ms-td` as users train it: killed in its phases, and resumed.

use crate::harness::place::Place;
use runner_core::Random;
use std::time::Duration;

const GAME: &str = "2048(rows: 2, cols: 3)";

/// Maximum number of runs until a training is done: each of them is given more time.
const RUNS: u64 = 60;

/// Returns the mean score of a model's greedy policy.
fn mean(place: &Place, model: &str) -> f64 {
    let agent = format!("ms-td(model: \"{model}\")");
    let eval = place.json(format!("eval --game '{GAME}' --agent '{agent}' --games 2000"));
    eval["score"]["mean"].as_f64().unwrap()
}

#[test]
fn killed_multi_stage_training_ends_as_good_as_an_undisturbed_one() {
    let place = Place::new();
    let agent = r#"ms-td(stages: "16 32 64", boards: 2000, network: "013 0124")"#;
    let train = format!(
        "train --game '{GAME}' --agent '{agent}' --moves 3M --threads 1 --checkpoint 10ms --json \
         --model"
    );
    place.done(format!("{train} whole.model"));
    let mut random = Random::from_word(5);
    let mut continued = 0;
    for run in 0.. {
        assert!(run < RUNS, "the training does not end within {RUNS} runs");
        let saved = place.path("killed.model").exists();
        continued += u64::from(saved);
        let resume = if saved { "--resume" } else { "" };
        let mut child = place.start_silent(format!("{train} killed.model {resume}"));
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
    let info = place.json("model info killed.model");
    assert_eq!(info[0]["facts"]["moves"], "3000000", "{info}");
    // The two are not equal: a resumed training discards its unfinished games, and a busy machine
    // allows many kills. Undisturbed trainings with 60 seeds score 320 to 415, killed ones 284 to
    // 408. Random moves score less than half.
    let (killed, whole) = (mean(&place, "killed.model"), mean(&place, "whole.model"));
    assert!((killed / whole - 1.0).abs() < 0.4, "{killed}, undisturbed {whole}");
}
