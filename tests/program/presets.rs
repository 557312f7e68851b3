//! Models and results state the parameters of a preset.

use crate::harness::place::Place;
use crate::harness::transcript::assert_snapshot;

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
