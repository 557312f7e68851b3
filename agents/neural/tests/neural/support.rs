//! Shared parts of the tests of all neural learners: games, hosts, trainings, and the laws that
//! each learner must keep.

use agent_neural::{Method, NeuralLearner};
use game_2048::Game2048;
use runner_core::{
    BuildContext, BuildError, Control, Fault, Game, GamePlugin, Host, Learner, Seed, SingleThread,
    TrainingBudget, TrainingProgress, TrainingSession, Value, ValuePlugin,
};
use runner_laws::doubles::OverGame;
use std::path::Path;
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

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

/// Checks that a training fails if all games are over at their start.
pub fn check_games_without_moves_are_refused<M: Method>(config: M::Config) {
    let over = OverGame(game(2, 3));
    let learner = build::<M>(config, &over, "2048").unwrap();
    let failed = train(&learner, &over, &SingleThread, 100).unwrap_err().to_string();
    assert!(failed.contains("games in a row were over at their start: no legal"), "{failed}");
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

/// A host whose threads run tasks of other callers while a training waits for its own. One of
/// them asks the learner that is training for its progress.
struct Shared<M: Method> {
    learner: OnceLock<Weak<NeuralLearner<M>>>,
}

impl<M: Method> Host for Shared<M> {
    fn threads(&self) -> usize {
        1
    }

    fn for_each(&self, n: usize, task: &(dyn Fn(usize) + Sync)) {
        if let Some(learner) = self.learner.get().and_then(Weak::upgrade) {
            learner.progress();
        }
        (0..n).for_each(task);
    }
}

/// Checks that a training holds no lock of the learner while it waits for the host's threads.
pub fn check_no_lock_is_held<M: Method>(config: M::Config)
where
    M::Config: Send,
{
    let (ended, end) = std::sync::mpsc::channel();
    // A thread that waits for itself cannot be joined.
    std::thread::spawn(move || {
        let board = game(2, 3);
        let learner = Arc::new(build::<M>(config, &board, "2048").unwrap());
        let host = Shared { learner: OnceLock::from(Arc::downgrade(&learner)) };
        let done = train(&learner, &board, &host, 100).map(|done| done.moves);
        ended.send(done).unwrap();
    });
    let done = end.recv_timeout(Duration::from_secs(60)).expect("the training has ended");
    assert!(done.unwrap() >= 100);
}

/// Checks that models of another board, another network or another kind are refused, and so are
/// damaged ones, and that a refused model changes nothing. `other` has a network of another size;
/// its model and that of `config` differ in the words `differs`.
pub fn check_unsuitable_models_are_refused<M: Method>(
    config: M::Config,
    other: M::Config,
    differs: [&str; 2],
) where
    M::Config: Clone,
{
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.model");
    let board = game(3, 3);
    let spec = "2048(rows: 3, cols: 3)";
    let learner = build::<M>(config.clone(), &board, spec).unwrap();
    train(&learner, &board, &SingleThread, 300).unwrap();
    learner.save(&path, "checkpoint").unwrap();
    let load = |config: &M::Config, spec: &str, path: &Path| {
        let learner = build::<M>(config.clone(), &board, spec).unwrap();
        let before = estimates(&learner, &board);
        let refused = learner.load(&[path]).unwrap_err().to_string();
        assert_eq!(estimates(&learner, &board), before, "a refused model changes nothing");
        refused
    };
    let refused = load(&config, "2048", &path);
    assert!(refused.contains("game") && refused.contains("rows: 3"), "{refused}");
    let refused = load(&other, spec, &path);
    assert!(differs.iter().all(|word| refused.contains(word)), "{refused}");
    let bytes = std::fs::read(&path).unwrap();
    for part in 1..8 {
        let mut damaged = bytes.clone();
        damaged[part * bytes.len() / 8] ^= 4;
        std::fs::write(&path, damaged).unwrap();
        let refused = load(&config, spec, &path);
        assert!(refused.contains("damaged"), "{refused}");
    }
    std::fs::write(&path, &bytes[..bytes.len() / 3]).unwrap();
    assert!(load(&config, spec, &path).contains("truncated"));
    std::fs::write(&path, "a shopping list").unwrap();
    assert!(load(&config, spec, &path).contains("not a model"));
    let missing = folder.path().join("b.model");
    assert!(load(&config, spec, &missing).contains("b.model"));
}
