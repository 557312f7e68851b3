//! Learning, its dependence on seeds, threads and pieces, and refused input.

use agent_alpha_zero::{AlphaZero, Config};
use game_2048::Game2048;
use runner_core::{
    BuildContext, BuildError, Control, Fault, Game, GamePlugin, GreedyPolicy, Host, Learner,
    Random, Seed, SingleThread, Successors, TrainingBudget, TrainingProgress, TrainingSession,
    Value, ValuePlugin, play,
};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

fn game(rows: usize, cols: usize) -> Game2048 {
    let config = game_2048::Config { rows, cols, ..game_2048::Config::default() };
    Game2048::alone(config).unwrap()
}

fn build(config: Config, game: &impl Game, spec: &str) -> Result<AlphaZero, BuildError> {
    let host: Arc<dyn Host> = Arc::new(SingleThread);
    AlphaZero::new(config, &BuildContext { game: game.description(), game_spec: spec, host: &host })
}

fn train(
    learner: &AlphaZero,
    game: &impl Game,
    host: &dyn Host,
    moves: u64,
) -> Result<TrainingProgress, Fault> {
    let report = |_: &TrainingProgress| Control::Continue;
    let budget = TrainingBudget { moves: Some(moves), ..TrainingBudget::default() };
    let session = TrainingSession { budget, seed: Seed(3), ..TrainingSession::new(host, &report) };
    learner.train(game, &session)
}

/// A host that claims more threads than it has, and runs tasks in another order.
struct Threads;

impl Host for Threads {
    fn threads(&self) -> usize {
        4
    }

    fn for_each(&self, n: usize, task: &(dyn Fn(usize) + Sync)) {
        (0..n).rev().for_each(task);
    }
}

/// A small network with few simulations.
fn small() -> Config {
    Config {
        simulations: 10,
        simulators: 20,
        games: 20,
        samples: 1000,
        batch: 50,
        channels: Some(8),
        hidden: Some(16),
        ..Config::default()
    }
}

/// Values and priors of some positions.
fn estimates(learner: &AlphaZero, game: &Game2048) -> (Vec<f32>, Vec<f32>) {
    let states: Vec<_> = (0..20).map(|k| game.start(k << 32)).collect();
    let (mut priors, mut values) = (vec![0.0; 80], vec![0.0; 20]);
    learner.evaluate_states(game, &states, &mut priors, &mut values);
    (priors, values)
}

fn mean_score(learner: &AlphaZero, game: &Game2048, games: u64) -> f64 {
    let score = |number| {
        let mut random = Random::stream(Seed(1), number);
        play(game, &mut GreedyPolicy(learner), &mut random, &AtomicBool::new(false)).score
    };
    (0..games).map(score).sum::<f64>() / games as f64
}

/// The optimum is that of `runner solve`.
#[test]
fn four_cells_are_learned_to_near_the_optimum() {
    let (game, optimum) = (game(2, 2), 66.96);
    let config = Config { simulations: 25, samples: 5000, ..small() };
    let learner = build(config, &game, "2048").unwrap();
    let before = mean_score(&learner, &game, 1000);
    let done = train(&learner, &game, &SingleThread, 20_000).unwrap();
    let after = mean_score(&learner, &game, 1000);
    println!("{before} {after} of {optimum}, {done:?}");
    assert!(after > 0.93 * optimum, "{before} {after}");
    assert!(done.figure("accepted").is_some_and(|accepted| accepted >= 1.0));
}

#[test]
fn training_does_not_depend_on_threads() {
    let game = game(3, 3);
    let learned = |host: &dyn Host| {
        let learner = build(small(), &game, "2048").unwrap();
        train(&learner, &game, host, 3000).unwrap();
        (learner.progress().moves, estimates(&learner, &game))
    };
    assert_eq!(learned(&SingleThread), learned(&Threads));
}

#[test]
fn a_checkpoint_restores_network_replay_and_progress_in_every_phase() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.model");
    let game = game(2, 3);
    let learner = build(small(), &game, "2048").unwrap();
    for _ in 0..6 {
        train(&learner, &game, &SingleThread, 400).unwrap();
        learner.save(&path, "checkpoint").unwrap();
        let resumed = build(small(), &game, "2048").unwrap();
        resumed.load(&[&path]).unwrap();
        assert_eq!(resumed.progress(), learner.progress());
        assert_eq!(estimates(&resumed, &game), estimates(&learner, &game));
        let again = folder.path().join("b.model");
        resumed.save(&again, "checkpoint").unwrap();
        assert!(std::fs::read(&path).unwrap() == std::fs::read(&again).unwrap());
        let more = train(&resumed, &game, &SingleThread, 50).unwrap();
        assert!(more.moves >= learner.progress().moves + 50);
    }
    // A player takes the size of the network from the model, and does not train.
    let model = Some(path.to_string_lossy().into_owned());
    let player = build(Config { model, ..Config::default() }, &game, "2048").unwrap();
    assert_eq!(estimates(&player, &game), estimates(&learner, &game));
    let refused = train(&player, &game, &SingleThread, 50).unwrap_err().to_string();
    assert!(refused.contains("only plays"), "{refused}");
}

#[test]
fn priors_are_probabilities_and_actions_have_the_shares_of_their_visits() {
    let game = game(4, 4);
    let learner = build(small(), &game, "2048").unwrap();
    let state = game.start(5);
    let mut successors = Successors::new();
    game.successors(state, &mut successors);
    let (mut priors, mut value) = ([0.0; 4], [0.0]);
    learner.evaluate_states(&game, &[state], &mut priors, &mut value);
    assert!((priors.iter().sum::<f32>() - 1.0).abs() < 1e-5);
    let mut shares = vec![0.0; successors.len()];
    learner.action_values(&game, state, &successors, &mut shares);
    assert!((shares.iter().sum::<f32>() - 1.0).abs() < 1e-5, "{shares:?}");
    let before = shares.clone();
    learner.action_values(&game, state, &successors, &mut shares);
    assert_eq!(shares, before, "a choice depends on the position alone");
}

#[test]
fn settings_of_the_paper_and_other_games_train() {
    let config = Config {
        scale: "average".to_owned(),
        first_play: "zero".to_owned(),
        gate: false,
        residual_layers: Some(0),
        ..small()
    };
    let threes = game_threes::Threes::alone(game_threes::Config {
        rows: 2,
        cols: 3,
        ..game_threes::Config::default()
    });
    let threes = threes.unwrap();
    let learner = build(config, &threes, "threes").unwrap();
    let done = train(&learner, &threes, &SingleThread, 2000).unwrap();
    assert!(done.mean > 0.0 && done.figure("accepted") >= Some(1.0), "{done:?}");
}

#[test]
fn wrong_parameters_are_refused_with_what_is_allowed() {
    let game = game(4, 4);
    let refused = |config: Config, parameter: &str, allowed: &str| {
        let Err(error) = build(config, &game, "2048") else { panic!("{parameter} is refused") };
        assert_eq!(error.parameter.as_deref(), Some(parameter));
        assert!(error.message.contains(allowed), "{}", error.message);
    };
    let default = Config::default;
    refused(Config { simulations: 0, ..default() }, "simulations", "1 to");
    refused(Config { simulators: 0, ..default() }, "simulators", "1 to");
    refused(Config { exploration: -1.0, ..default() }, "exploration", "from 0 on");
    refused(Config { exploration: f64::NAN, ..default() }, "exploration", "from 0 on");
    refused(Config { scale: "points".into(), ..default() }, "scale", "average");
    refused(Config { first_play: "all".into(), ..default() }, "first_play", "parent");
    refused(Config { games: 0, ..default() }, "games", "1 to");
    refused(Config { replay: 0, ..default() }, "replay", "1 to");
    refused(Config { batch: 0, ..default() }, "batch", "1 to");
    refused(Config { learning_rate: 2.0, ..default() }, "learning_rate", "at most 1");
    refused(Config { hidden: Some(0), ..default() }, "hidden", "1 to");
    refused(Config { residual_layers: Some(65), ..default() }, "residual_layers", "0 to 64");
    refused(Config { model: Some("/no/such/file".into()), ..default() }, "model", "/no/such/file");
}

#[test]
fn a_model_of_another_board_or_network_and_a_damaged_one_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.model");
    let large = game(3, 3);
    let learner = build(small(), &large, "2048(rows: 3, cols: 3)").unwrap();
    learner.save(&path, "checkpoint").unwrap();
    let load = |config: Config, spec: &str, path: &Path| {
        let learner = build(config, &large, spec).unwrap();
        learner.load(&[path]).unwrap_err().to_string()
    };
    let spec = "2048(rows: 3, cols: 3)";
    let refused = load(small(), "2048", &path);
    assert!(refused.contains("game") && refused.contains("rows: 3"), "{refused}");
    let refused = load(Config { hidden: Some(17), ..small() }, spec, &path);
    assert!(refused.contains("hidden:16") && refused.contains("hidden:17"), "{refused}");
    let bytes = std::fs::read(&path).unwrap();
    for part in 1..8 {
        let mut damaged = bytes.clone();
        damaged[part * bytes.len() / 8] ^= 4;
        std::fs::write(&path, damaged).unwrap();
        let refused = load(small(), spec, &path);
        assert!(refused.contains("damaged"), "{refused}");
    }
    std::fs::write(&path, &bytes[..bytes.len() / 3]).unwrap();
    assert!(load(small(), spec, &path).contains("truncated"));
}
