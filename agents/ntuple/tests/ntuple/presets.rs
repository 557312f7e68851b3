//! Presets: what they set is what the learner takes.

use super::support::*;
use agent_ntuple::starts::Restarts;

fn preset<P: Plugin>(name: &str) -> P::Config {
    let spec: Spec = format!("{}(preset: \"{name}\")", P::NAME).parse().unwrap();
    let completed = spec.with_preset(&P::presets()).unwrap();
    completed.read().unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn boards() -> [Geometry; 2] {
    [board_of(&game_2048(4, 4)), board_of(&threes(4, 4))]
}

fn parameters_exist<P: Plugin>(about: &str) {
    let parameters = P::Config::parameters();
    for preset in P::presets() {
        for name in preset.parameters().unwrap() {
            assert!(parameters.iter().any(|p| p.name == name), "{}: {name}", preset.name);
        }
        assert!(!preset.about().is_empty() && preset.about().contains(about), "{}", preset.name);
    }
}

#[test]
fn every_preset_sets_parameters_that_exist_and_says_what_it_is() {
    parameters_exist::<TcNtuple>("");
    for preset in TcNtuple::presets() {
        // Its parameters differ from the defaults and are valid on the board of a game.
        let config = self::preset::<TcNtuple>(&preset.name);
        assert_ne!(config, TcConfig::default(), "{}", preset.name);
        let (shared, joint) = (&config.shared, &config.joint);
        let suits = |board: &Geometry| {
            let network = Network::read(shared.network.as_deref().unwrap_or("4x6"), board);
            let stages = joint.stages.as_ref().map(|text| Stages::read(text, board));
            let count = stages.map_or(1, |stages| stages.map_or(1, |stages| stages.count()));
            network.is_ok() && Restarts::read(shared.restarts.as_ref(), count).is_ok()
        };
        assert!(boards().iter().any(suits), "{}", preset.name);
    }
}

#[test]
fn preset_of_delayed_tc_is_the_learner_of_jaskowski_2018() {
    let [board, _] = boards();
    let TcConfig { shared, joint, .. } = preset::<TcNtuple>("delayed-tc-2017");
    let network = Network::read(shared.network.as_deref().unwrap(), &board).unwrap();
    assert_eq!(network.tuples().len(), 12);
    assert_eq!(Stages::read(joint.stages.as_deref().unwrap(), &board).unwrap().count(), 16);
    assert_eq!((shared.update_name(), shared.lambda), ("delayed", Some(0.5)));
}

#[test]
fn presets_with_stages_of_a_game_are_refused_in_another_one() {
    let fits = |name: &str| {
        let stages = preset::<TcNtuple>(name).joint.stages.unwrap();
        boards().map(|board| Stages::read(&stages, &board).map(|stages| stages.count()).ok())
    };
    assert_eq!(fits("efficient"), [Some(2), None]);
    assert_eq!(fits("efficient-threes"), [None, Some(2)]);
    assert_eq!(fits("quick"), [Some(1), None]);
}

#[test]
fn presets_of_ms_td_are_the_learners_of_yeh_and_others_2017() {
    parameters_exist::<MsTd>("10^7 games");
    let (two, three) = (setting(4, 4), Fixture::<Threes>::of(Default::default()));
    for (name, of_2048, of_threes) in
        [("paper-2048", true, false), ("paper-threes", true, true), ("paper-tuned", true, true)]
    {
        assert_eq!(two.build::<MsTd>(preset::<MsTd>(name)).is_ok(), of_2048, "{name}");
        assert_eq!(three.build::<MsTd>(preset::<MsTd>(name)).is_ok(), of_threes, "{name}");
    }
    // They say which parameters were published, and these are the defaults.
    let resolved = |name| MsTdConfig { strategy: None, ..preset::<MsTd>(name) };
    let default = MsTdConfig::default();
    assert_eq!(resolved("paper-2048"), default);
    assert_eq!(resolved("paper-threes"), default);
    assert_eq!(resolved("paper-tuned"), MsTdConfig { tuned: true, ..default });
}
