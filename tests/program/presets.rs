//! Tests of presets: listed, printed, trained, and stated by results and models.

use crate::harness::place::Place;
use crate::harness::{expect_json, expect_usage_error, run};

const GAME: &str = "2048";
const EFFICIENT: &str = "tc-ntuple(preset: \"efficient\")";

#[test]
fn plugin_is_shown_with_its_presets_and_each_is_printed_on_request() {
    let shown = run(&["plugins", "show", "tc-ntuple"]).success();
    for expected in ["preset [default: None]", "--preset NAME"] {
        assert!(shown.out.contains(expected), "{expected}: {}", shown.out);
    }
    let is_listed = |line: &str| line.contains("delayed-tc-2017 ") && line.contains(" 16 stages");
    assert!(shown.out.lines().any(is_listed), "{}", shown.out);
    assert!(shown.out.lines().all(|line| line.chars().count() <= 80), "{}", shown.out);
    let json = expect_json(&run(&["plugins", "show", "tc-ntuple", "--json"]));
    let presets = json["presets"].as_array().unwrap();
    let first = presets.iter().find(|preset| preset["name"] == "delayed-tc-2017").unwrap();
    assert!(first["about"].as_str().unwrap().starts_with("16 stages"), "{first}");

    let printed = run(&["plugins", "show", "tc-ntuple", "--preset", "delayed-tc-2017"]);
    assert_eq!(printed.out, first["text"].as_str().unwrap());
    assert!(printed.out.contains("stages: \"2^4\""), "{}", printed.out);
    let unknown = run(&["plugins", "show", "tc-ntuple", "--preset", "eficient"]);
    expect_usage_error(
        &unknown,
        &["no preset `eficient`", "did you mean `efficient`", "optimistic"],
    );
    let none = run(&["plugins", "show", "random", "--preset", "efficient"]);
    expect_usage_error(&none, &["`random` has no presets"]);
}

#[test]
fn models_and_results_state_the_parameters_of_the_preset() {
    let place = Place::new();
    let train = ["train", "--game", GAME, "--moves", "2k", "--model", "a.model", "--json"];
    let trained = expect_json(&place.run(&[&train[..], &["--agent", EFFICIENT]].concat()));
    let agent = trained["agent"].as_str().unwrap();
    assert!(agent.contains("stages: \"downgrade@4096 16384+8192\""), "{agent}");
    assert!(!agent.contains("preset"), "{agent}");
    let info = expect_json(&place.run(&["model", "info", "a.model", "--json"]));
    assert_eq!(info[0]["spec"], agent);
    // The parameters of the command line are those of the model, however they are written.
    let more = ["train", "--model", "a.model", "--resume", "--moves", "3k", "--json"];
    let spelled = r#"tc-ntuple(network: "8x6", update: "backward", lambda: 0.5,
        stages: "downgrade@4096 16384+8192", promotion: "none",
        beta: [(0.0, 1.0), (0.64, 0.3), (0.72, 0.1), (0.8, 0.3), (0.9, 0.1), (0.96, 0.03)],
        restarts: middle(longer_than: 2500, longer_than_later: 10,
            entrances: [(0.0, 0.0), (0.2165, 0.5)]))"#;
    for agent in [EFFICIENT, spelled] {
        expect_json(&place.run(&[&more[..], &["--game", GAME, "--agent", agent]].concat()));
    }
    let other = "tc-ntuple(preset: \"efficient\", lambda: 0.4)";
    let refused = place.run(&[&more[..], &["--game", GAME, "--agent", other]].concat());
    expect_usage_error(&refused, &["the learner of a.model is", "restarts: middle"]);

    // Inside a search too.
    let search =
        "expectimax(depth: 1, value: tc-ntuple(preset: \"efficient\", model: \"a.model\"))";
    let eval = ["eval", "--game", GAME, "--agent", search, "--games", "2", "--json"];
    let agent = expect_json(&place.run(&eval))["agent"].clone();
    let agent = agent.as_str().unwrap();
    assert!(agent.contains("restarts: middle") && !agent.contains("preset"), "{agent}");
}

#[test]
fn unknown_preset_is_refused_with_the_presets() {
    for agent in ["tc-ntuple(preset: \"eficient\")", "expectimax(value: tc-ntuple(preset: \"x\"))"]
    {
        let refused = run(&["eval", "--game", "2048", "--agent", agent, "--games", "1"]);
        let expected = ["there is no preset", "delayed-tc-2017", "efficient", "optimistic"];
        expect_usage_error(&refused, &expected);
    }
    let refused = run(&["eval", "--game", "2048", "--agent", "td-ntuple(preset: \"x\")"]);
    expect_usage_error(&refused, &["unknown parameter `preset`"]);
}
