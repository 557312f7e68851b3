//! Shared parts of the tests of all neural learners: games, hosts and trainings.

use agent_neural::{Method, NeuralLearner};
use game_2048::Game2048;
use runner_core::{
    BuildContext, BuildError, Control, Fault, Game, GamePlugin, Host, Learner, Seed, SingleThread,
    TrainingBudget, TrainingProgress, TrainingSession, Value, ValuePlugin,
};
use std::sync::Arc;

pub fn game(rows: usize, cols: usize) -> Game2048 {
    Game2048::alone(game_2048::Config { rows, cols, ..Default::default() }).unwrap()
}

/// Builds a learner for a game, which a model file names by `spec`.
pub fn build<M: Method>(
    config: M::Config,
    game: &impl Game,
    spec: &str,
) -> Result<NeuralLearner<M>, BuildError> {
    let host: Arc<dyn Host> = Arc::new(SingleThread);
    let context = BuildContext { game: game.description(), game_spec: spec, host: &host };
    NeuralLearner::new(config, &context)
}

pub fn train<M: Method>(
    learner: &NeuralLearner<M>,
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
pub struct Threads;

impl Host for Threads {
    fn threads(&self) -> usize {
        4
    }

    fn for_each(&self, n: usize, task: &(dyn Fn(usize) + Sync)) {
        (0..n).rev().for_each(task);
    }
}

pub fn estimates<M: Method>(learner: &NeuralLearner<M>, game: &Game2048) -> (Vec<f32>, Vec<f32>) {
    let states: Vec<_> = (0..20).map(|k| game.start(k << 32)).collect();
    let (mut priors, mut values) = (vec![0.0; 80], vec![0.0; 20]);
    learner.evaluate_states(game, &states, &mut priors, &mut values);
    (priors, values)
}
