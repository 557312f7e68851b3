//! Tests of presets: listed, printed, trained, and stated by results and models.

use crate::harness::place::Place;
use crate::harness::transcript::assert_snapshot;

#[test]
fn plugin_is_shown_with_its_presets_and_each_is_printed_on_request() {
    let place = Place::new();
    let shown = place.done("plugins show tc-ntuple").out;
    for expected in ["preset [default: None]", "--preset NAME"] {
        assert!(shown.contains(expected), "{expected}: {shown}");
    }
    let is_listed = |line: &str| line.contains("delayed-tc-2017 ") && line.contains(" 16 stages");
    assert!(shown.lines().any(is_listed), "{shown}");
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
    let json = place.json("plugins show tc-ntuple");
    let presets = json["presets"].as_array().unwrap();
    let first = presets.iter().find(|preset| preset["name"] == "delayed-tc-2017").unwrap();
    assert!(first["about"].as_str().unwrap().starts_with("16 stages"), "{first}");

    let printed = place.done("plugins show tc-ntuple --preset delayed-tc-2017").out;
    assert_eq!(printed, first["text"].as_str().unwrap());
    assert!(printed.contains("stages: \"2^4\""), "{printed}");
}

#[test]
fn models_and_results_state_the_parameters_of_the_preset() {
    let place = Place::new();
    let efficient = "tc-ntuple(preset: \"efficient\")";
    let trained =
        place.json(format!("train --game 2048 --moves 2k --model a.model --agent '{efficient}'"));
    let agent = trained["agent"].as_str().unwrap();
    assert!(agent.contains("stages: \"downgrade@4096 16384+8192\""), "{agent}");
    assert!(!agent.contains("preset"), "{agent}");
    assert_eq!(place.json("model info a.model")[0]["spec"], agent);
    // The parameters of the command line are those of the model, however they are written.
    let resume = "train --model a.model --resume --moves 3k --game 2048 --agent";
    let spelled = r#"tc-ntuple(network: "8x6", update: "backward", lambda: 0.5,
        stages: "downgrade@4096 16384+8192", promotion: "none",
        beta: [(0.0, 1.0), (0.64, 0.3), (0.72, 0.1), (0.8, 0.3), (0.9, 0.1), (0.96, 0.03)],
        restarts: middle(longer_than: 2500, longer_than_later: 10,
            entrances: [(0.0, 0.0), (0.2165, 0.5)]))"#;
    for agent in [efficient, spelled] {
        place.done(format!("{resume} '{agent}'"));
    }
    let other = "tc-ntuple(preset: \"efficient\", lambda: 0.4)";
    let told = place.transcript(&format!("{resume} '{other}'"));

    // Inside a search too.
    let search =
        "expectimax(depth: 1, value: tc-ntuple(preset: \"efficient\", model: \"a.model\"))";
    let agent =
        place.json(format!("eval --game 2048 --agent '{search}' --games 2"))["agent"].clone();
    let agent = agent.as_str().unwrap();
    assert!(agent.contains("restarts: middle") && !agent.contains("preset"), "{agent}");
    assert_snapshot!(told);
}
