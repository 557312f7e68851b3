//! Presets: what they set is what the learner takes.

use agent_ntuple::starts::Restarts;
use agent_ntuple::{MsTd, MsTdConfig, TcConfig, TcNtuple};
use agent_ntuple_network::{Network, Stages};
use game_2048::Game2048;
use game_threes::Threes;
use runner_core::geometry::Geometry;
use runner_core::{
    BuildContext, BuildError, Game, Host, Parameters, Plugin, SingleThread, Spec, ValuePlugin,
};
use std::sync::Arc;

fn config(preset: &str) -> TcConfig {
    let spec: Spec = format!("tc-ntuple(preset: \"{preset}\")").parse().unwrap();
    let completed = spec.with_preset(&TcNtuple::presets()).unwrap().unwrap();
    completed.spec.read().unwrap_or_else(|error| panic!("{preset}: {error}"))
}

fn boards() -> [Geometry; 2] {
    let games: [&dyn Game; 2] = [
        &Game2048::new(game_2048::Config::default()).unwrap(),
        &Threes::new(game_threes::Config::default()).unwrap(),
    ];
    games.map(|game| game.description().geometry.clone().unwrap())
}

#[test]
fn every_preset_sets_parameters_that_exist_and_says_what_it_is() {
    let parameters = TcConfig::parameters();
    for preset in TcNtuple::presets() {
        for name in preset.parameters().unwrap() {
            assert!(parameters.iter().any(|p| p.name == name), "{}: {name}", preset.name);
        }
        assert!(!preset.about().is_empty(), "{}", preset.name);
        // Its parameters differ from the defaults and are valid on the board of a game.
        let config = config(&preset.name);
        assert_ne!(config, TcConfig::default(), "{}", preset.name);
        let suits = |board: &Geometry| {
            let network = Network::read(config.network.as_deref().unwrap_or("4x6"), board);
            let stages = config.stages.as_ref().map(|text| Stages::read(text, board));
            let count = stages.map_or(1, |stages| stages.map_or(1, |stages| stages.count()));
            network.is_ok() && Restarts::read(config.restarts.as_ref(), count).is_ok()
        };
        assert!(boards().iter().any(suits), "{}", preset.name);
    }
}

#[test]
fn preset_of_delayed_tc_is_the_learner_of_the_paper() {
    let [board, _] = boards();
    let config = config("delayed-tc-2017");
    let network = Network::read(config.network.as_deref().unwrap(), &board).unwrap();
    assert_eq!(network.tuples().len(), 12);
    assert_eq!(Stages::read(config.stages.as_deref().unwrap(), &board).unwrap().count(), 16);
    assert_eq!((config.update.as_deref(), config.lambda), (Some("delayed"), Some(0.5)));
    assert_eq!(config.horizon, None);
}

#[test]
fn presets_with_stages_of_a_game_are_refused_in_another_one() {
    let fits = |preset: &str| {
        let stages = config(preset).stages.unwrap();
        boards().map(|board| Stages::read(&stages, &board).map(|stages| stages.count()).ok())
    };
    assert_eq!(fits("efficient"), [Some(2), None]);
    assert_eq!(fits("efficient-threes"), [None, Some(2)]);
}

fn multi_stage(preset: &str) -> MsTdConfig {
    let spec: Spec = format!("ms-td(preset: \"{preset}\")").parse().unwrap();
    let completed = spec.with_preset(&MsTd::presets()).unwrap().unwrap();
    completed.spec.read().unwrap_or_else(|error| panic!("{preset}: {error}"))
}

fn build(game: &dyn Game, config: MsTdConfig) -> Result<MsTd, BuildError> {
    let host: Arc<dyn Host> = Arc::new(SingleThread);
    MsTd::new(config, &BuildContext { game: game.description(), game_spec: "a game", host: &host })
}

#[test]
fn presets_of_ms_td_are_the_learners_of_the_paper() {
    let parameters = MsTdConfig::parameters();
    for preset in MsTd::presets() {
        for name in preset.parameters().unwrap() {
            assert!(parameters.iter().any(|p| p.name == name), "{}: {name}", preset.name);
        }
        assert!(preset.about().contains("10^7 games"), "{}: its budget", preset.name);
    }
    let game = Game2048::new(game_2048::Config::default()).unwrap();
    let threes = Threes::new(game_threes::Config::default()).unwrap();
    for (preset, of_2048, of_threes) in
        [("paper-2048", true, false), ("paper-threes", true, true), ("paper-tuned", true, true)]
    {
        assert_eq!(build(&game, multi_stage(preset)).is_ok(), of_2048, "{preset}");
        assert_eq!(build(&threes, multi_stage(preset)).is_ok(), of_threes, "{preset}");
    }
    // They say what the parameters of Yeh and others are, and these are the defaults.
    let resolved = |config: MsTdConfig| MsTdConfig { strategy: None, ..config };
    let default = MsTdConfig::default();
    assert_eq!(resolved(multi_stage("paper-2048")), default);
    assert_eq!(resolved(multi_stage("paper-threes")), default);
    assert_eq!(resolved(multi_stage("paper-tuned")), MsTdConfig { tuned: true, ..default });
}
