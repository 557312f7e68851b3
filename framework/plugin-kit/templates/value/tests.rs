//! The table learns, keeps its budget, and loads the models that it saves.

mod walk;

use runner_core::{
    Action, Agent, BuildContext, Control, Game, GreedyPolicy, Host, Learner, Random, Seed,
    SingleThread, TrainingBudget, TrainingProgress, TrainingSession, Turn, Value, ValuePlugin, play,
};
use __crate__::{Config, __Type__};
use std::fs;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use walk::Walk;

/// Above the value of every position of the game.
const START: f32 = 10.0;

fn table(game_spec: &str) -> Arc<__Type__> {
    let (game, host): (_, Arc<dyn Host>) = (Walk::new(), Arc::new(SingleThread));
    let context = BuildContext { game: game.description(), game_spec, host: &host };
    let config = Config { alpha: 0.1, size: 10, start: START, model: None };
    Arc::new(__Type__::new(config, &context).unwrap())
}

fn train(table: &__Type__, budget: TrainingBudget, answer: Control) -> TrainingProgress {
    let report = |_: &TrainingProgress| answer;
    let (seed, host) = (Seed(1), &SingleThread);
    let session =
        TrainingSession { budget, plan: budget, seed, ..TrainingSession::new(host, &report) };
    table.train(&Walk::new(), &session).unwrap()
}

fn games(count: u64) -> TrainingBudget {
    TrainingBudget { episodes: Some(count), ..TrainingBudget::default() }
}

/// Returns the mean score of 1,000 games.
fn mean(mut agent: impl Agent) -> f64 {
    let game = Walk::new();
    let mut score = |number| {
        let mut random = Random::stream(Seed(2), number);
        play(&game, &mut agent, &mut random, &AtomicBool::new(false)).score
    };
    (0..1000).map(&mut score).sum::<f64>() / 1000.0
}

struct AtRandom;

impl Agent for AtRandom {
    fn act<G: Game>(&mut self, _: &G, turn: &Turn<'_>) -> Option<Action> {
        let drawn = turn.random % turn.successors.len() as u64;
        Some(turn.successors[drawn as usize].action)
    }
}

#[test]
fn the_game_satisfies_the_laws() {
    runner_laws::assert_holds(&Walk::new());
}

/// A step and the wind cover 1.25 of the nine fields, so the way home takes about 7.4 steps.
/// A random walk takes several times as many.
#[test]
fn training_finds_the_way_home() {
    let table = table("walk");
    let done = train(&table, games(5_000), Control::Continue);
    assert_eq!(done.episodes, 5_000);
    let (learned, random) = (mean(GreedyPolicy(table)), mean(AtRandom));
    assert!(learned > -8.0, "{learned}");
    assert!(random < -15.0, "{random}");
}

#[test]
fn the_budget_is_exceeded_by_less_than_a_batch() {
    let budget = TrainingBudget { moves: Some(1_000), ..TrainingBudget::default() };
    let done = train(&table("walk"), budget, Control::Continue);
    assert!((1_000..1_256).contains(&done.moves), "{}", done.moves);
    assert_eq!(train(&table("walk"), games(0), Control::Continue).moves, 0);
}

fn value(table: &__Type__) -> f32 {
    let successor = Walk::new().successor(Walk::on(5), walk::HOME).unwrap();
    let mut values = [0.0];
    table.evaluate(&[successor.afterstate], &mut values);
    values[0]
}

/// Games in progress at the end of a call are continued by the next.
#[test]
fn interrupted_training_equals_uninterrupted_training() {
    let (whole, pieces) = (table("walk"), table("walk"));
    train(&whole, games(1_000), Control::Continue);
    // One move, rounded up to a batch.
    let piece = TrainingBudget { moves: Some(1), ..TrainingBudget::default() };
    while pieces.progress().episodes < 1_000 {
        train(&pieces, piece, Control::Continue);
    }
    let (one, many) = (whole.progress(), pieces.progress());
    assert_eq!((one.moves, one.episodes, one.mean), (many.moves, many.episodes, many.mean));
    assert_eq!(value(&whole), value(&pieces));
}

/// Without a budget, training ends when a report returns `Stop`.
#[test]
fn training_stops_when_asked() {
    assert!(train(&table("walk"), TrainingBudget::default(), Control::Stop).moves > 0);
}

#[test]
fn models_are_restored_and_damaged_ones_are_refused() {
    let file = std::env::temp_dir().join(format!("__name__-{}.model", std::process::id()));
    let trained = table("walk");
    train(&trained, games(100), Control::Continue);
    trained.save(&file, "model").unwrap();
    let whole = fs::read(&file).unwrap();

    let loaded = table("walk");
    assert_eq!(value(&loaded), START);
    loaded.load(&[&file]).unwrap();
    assert_eq!(value(&loaded), value(&trained));
    assert!(value(&loaded) < START);
    assert_eq!(loaded.progress().moves, trained.progress().moves);
    // The mean of two equal models.
    loaded.load(&[&file, &file]).unwrap();
    assert_eq!(value(&loaded), value(&trained));

    let untouched = table("walk");
    let refused = |bytes: &[u8]| {
        fs::write(&file, bytes).unwrap();
        untouched.load(&[&file]).unwrap_err().to_string()
    };
    assert!(refused(&whole[..whole.len() - 1]).contains("truncated"));
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 1;
    assert!(refused(&flipped).contains("damaged"));
    assert!(refused(b"a shopping list").contains("is not a model"));
    assert_eq!(value(&untouched), START);

    fs::write(&file, &whole).unwrap();
    let error = table("run").load(&[&file]).unwrap_err().to_string();
    assert!(error.contains("for walk") && error.contains("for run"), "{error}");
    fs::remove_file(&file).unwrap();
}
