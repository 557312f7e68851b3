//! Learning, its dependence on seeds, threads and pieces, and refused input.

use crate::support::{Threads, build, estimates, game, train};
use agent_neural::alpha_zero::{AlphaZero, AlphaZeroConfig, SelfPlay, Unit, Unvisited};
use game_2048::Game2048;
use runner_core::{
    Game, GamePlugin, GreedyPolicy, Host, Learner, Random, Seed, SingleThread, State, Successors,
    Value, forward_game, play,
};
use std::sync::atomic::AtomicBool;

fn small() -> AlphaZeroConfig {
    AlphaZeroConfig {
        simulations: 10,
        simulators: 20,
        games: 20,
        samples: 1000,
        channels: Some(8),
        hidden: Some(16),
        ..AlphaZeroConfig::default()
    }
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
    let config = AlphaZeroConfig { simulations: 25, samples: 25_000, ..small() };
    let learner = build::<SelfPlay>(config, &game, "2048").unwrap();
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
        let learner = build::<SelfPlay>(small(), &game, "2048").unwrap();
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
    let learner = build::<SelfPlay>(small(), &game, "2048").unwrap();
    for _ in 0..6 {
        train(&learner, &game, &SingleThread, 400).unwrap();
        learner.save(&path, "checkpoint").unwrap();
        let resumed = build::<SelfPlay>(small(), &game, "2048").unwrap();
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
    let player =
        build::<SelfPlay>(AlphaZeroConfig { model, ..AlphaZeroConfig::default() }, &game, "2048")
            .unwrap();
    assert_eq!(estimates(&player, &game), estimates(&learner, &game));
    let refused = train(&player, &game, &SingleThread, 50).unwrap_err().to_string();
    assert!(refused.contains("only plays"), "{refused}");
}

/// The merges of 2048, for no points.
struct Worthless(Game2048);

impl Game for Worthless {
    forward_game!(|this| this.0;
        description, start, outcomes, spawn, write, write_afterstate, parse
    );

    fn successors(&self, state: State, out: &mut Successors) {
        let mut scored = Successors::new();
        self.0.successors(state, &mut scored);
        out.clear();
        scored.iter().for_each(|s| out.push(s.action, s.afterstate, 0.0));
    }
}

#[test]
fn games_that_score_nothing_are_learned() {
    let game = Worthless(game(2, 2));
    let learner = build::<SelfPlay>(small(), &game, "2048").unwrap();
    let done = train(&learner, &game, &SingleThread, 1500).unwrap();
    assert!(done.figure("cycles") >= Some(1.0), "{done:?}");
}

#[test]
fn priors_are_probabilities_and_actions_have_the_shares_of_their_visits() {
    let game = game(4, 4);
    let learner = build::<SelfPlay>(small(), &game, "2048").unwrap();
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
fn published_settings_and_other_games_train() {
    let config = AlphaZeroConfig { scale: Unit::Average, first_play: Unvisited::Zero, ..small() };
    let threes = game_threes::Threes::alone(game_threes::Config {
        rows: 2,
        cols: 3,
        ..game_threes::Config::default()
    });
    let threes = threes.unwrap();
    let learner = build::<SelfPlay>(config, &threes, "threes").unwrap();
    let done = train(&learner, &threes, &SingleThread, 2000).unwrap();
    assert!(done.mean > 0.0 && done.figure("cycles") >= Some(1.0), "{done:?}");
}
