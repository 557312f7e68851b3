//! Every rule and update scheme in so few moves that Miri can run all unsafe code of a
//! training.

#[allow(dead_code)] // Other tests use the rest.
#[path = "ntuple/support/bare_learner.rs"]
mod bare_learner;

use agent_ntuple::learners::{Autostep, Tc, Td};
use agent_ntuple::rule::Rule;
use agent_ntuple::schedule::Schedule;
use agent_ntuple::starts::Restarts;
use agent_ntuple::update::UpdateScheme::{self, Backward, Delayed, Forward, MeanReturn, NStep};
use agent_ntuple_network::{Inheritance, Network, Stages, ValueFunction};
use bare_learner::{BareLearner, episodes, moves, training};
use game_2048::{Config, Game2048};
use runner_core::{Game, TrainingSession};
use runner_laws::doubles::TestThreads;
use runner_learning::Trained;

/// Trains on two threads, in step where the update scheme allows it: some moves, then a game to
/// its end.
fn train<R: Rule>(
    game: &Game2048,
    rule: impl Fn(usize) -> R,
    scheme: UpdateScheme,
    stages: Option<&str>,
) {
    let board = game.description().geometry.as_ref().unwrap();
    let stages = stages.map(|text| Stages::read(text, board).unwrap());
    let restarts = match &stages {
        Some(_) => Restarts::Carousel,
        None => Restarts::None,
    };
    let network = Network::read("01 012 0!", board).unwrap().with_stages(stages);
    let mut learner = BareLearner {
        inheritance: Inheritance::WeightsAndMemory,
        restarts,
        ..BareLearner::with_network(ValueFunction::Afterstates, game, network, &rule)
    };
    for budget in [moves(4), episodes(1)] {
        let session = TrainingSession { budget, ..training(&TestThreads(2)) };
        learner.train_in(&session, game, scheme).unwrap();
    }
    assert_eq!(learner.state.progress().episodes, 1);
    assert!(learner.records.iter().any(|record| record.weight.get() != 0.0));
}

#[test]
fn every_rule_and_every_update_scheme_changes_weights() {
    let game = Game2048::new(Config { rows: 2, cols: 2, ..Config::default() }).unwrap();
    let forward = Forward { lambda: 0.5, horizon: 3 };
    let delayed = Delayed { lambda: 0.5, horizon: 3 };
    let one = Schedule::Constant(1.0);
    let td = |lookups| Td::new(Schedule::Constant(0.1), lookups);
    let schemes = [delayed, NStep { steps: 2 }, MeanReturn, Backward { lambda: 0.5 }];
    schemes.into_iter().for_each(|scheme| train(&game, td, scheme, None));
    // Every game reaches the second stage, in which both weights and memory are promoted.
    let tc = |lookups| Tc::new(one, 0.0, lookups);
    train(&game, tc, forward, Some("4 8"));
    train(&game, |lookups| Autostep::new(0.1, 0.0001, 1.0, lookups), forward, None);
}
