//! Speed of the search: `cargo bench -p agent-mcts`. Each figure is the best of several
//! repetitions; several threads are compared with one in alternating turns.

use agent_mcts::{FirstPlay, Mcts, SearchOptions};
use agent_ntuple::{TcConfig, TcNtuple};
use game_2048::{Config, Game2048};
use runner_core::{
    Afterstate, BuildContext, Control, Game, Host, Learner, Random, Seed, SingleThread, State,
    TrainingBudget, TrainingProgress, TrainingSession, Value, ValuePlugin, play,
};
use runner_laws::doubles::{TestThreads, with_turn};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Instant;

const REPETITIONS: usize = 5;
const TRAINING_MOVES: u64 = 10_000_000;

fn main() {
    let game = Game2048::new(Config::default()).expect("the defaults are valid");
    let opening: Vec<State> = (0..8).map(|seed| game.start(seed)).collect();
    let options = SearchOptions::simulations(20_000);
    println!("{:44} {:>14} {:>14}", "one thread", "simulations/s", "leaf values/s");
    report("playouts, opening", &game, None, &options, &opening);
    let single = SearchOptions { batch: 1, ..options.clone() };
    report("playouts, opening, batches of 1", &game, None, &single, &opening);
    let short = SearchOptions::simulations(1_000);
    report("playouts, opening, 1000 simulations", &game, None, &short, &opening);

    let value: Arc<dyn Value> = Arc::new(trained(&game));
    let middle = middle_of_games(&game);
    let mut by_value = SearchOptions::by_value(20_000);
    by_value.selection.first_play = FirstPlay::Parent;
    report("four 6-tuples, middle of the game", &game, Some(&value), &by_value, &middle);
    let short = SearchOptions { budget: short.budget, ..by_value.clone() };
    report("four 6-tuples, 1000 simulations", &game, Some(&value), &short, &middle);

    println!("{:44} {:>14}", "two threads", "speed-up");
    for (name, value, options, states) in [
        ("playouts", None, &options, &opening),
        ("four 6-tuples", Some(&value), &by_value, &middle),
    ] {
        let two = SearchOptions { threads: 2, ..options.clone() };
        let ratio = |_| {
            let pair = [options, &two].map(|options| speed(&game, value, options, states).0);
            pair[1] / pair[0]
        };
        let mut ratios: Vec<f64> = (0..REPETITIONS).map(ratio).collect();
        ratios.sort_by(f64::total_cmp);
        println!("{name:44} {:>14.2}", ratios[REPETITIONS / 2]);
    }
}

fn report(
    name: &str,
    game: &Game2048,
    value: Option<&Arc<dyn Value>>,
    options: &SearchOptions,
    states: &[State],
) {
    let all = (0..REPETITIONS).map(|_| speed(game, value, options, states));
    let best = all.reduce(|a, b| if b.0 > a.0 { b } else { a }).expect("there are repetitions");
    println!("{name:44} {:>14.0} {:>14.0}", best.0, best.1);
}

/// Returns simulations and values of afterstates per second.
fn speed(
    game: &Game2048,
    value: Option<&Arc<dyn Value>>,
    options: &SearchOptions,
    states: &[State],
) -> (f64, f64) {
    let evaluations = Arc::new(AtomicU64::new(0));
    let counting =
        value.map(|value| Counting { value: value.clone(), evaluations: evaluations.clone() });
    let mut agent = Mcts::with_options(counting, None, options.clone(), Arc::new(TestThreads(2)));
    let (mut simulations, began) = (0, Instant::now());
    for &state in states {
        let found = with_turn(game, state, 1, |turn| agent.search(game, turn));
        simulations += found.stats.simulations;
    }
    let seconds = began.elapsed().as_secs_f64();
    (simulations as f64 / seconds, evaluations.load(Relaxed) as f64 / seconds)
}

/// A value that counts its evaluations.
#[derive(Clone)]
struct Counting {
    value: Arc<dyn Value>,
    evaluations: Arc<AtomicU64>,
}

impl Value for Counting {
    fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]) {
        self.evaluations.fetch_add(values.len() as u64, Relaxed);
        self.value.evaluate(afterstates, values);
    }
}

/// Returns the positions of 8 games after 300 moves.
fn middle_of_games(game: &Game2048) -> Vec<State> {
    let stop = AtomicBool::new(false);
    let play_one = |number| {
        let agent = Mcts::<Arc<dyn Value>>::with_options(
            None,
            None,
            SearchOptions::simulations(20),
            Arc::new(SingleThread),
        );
        let mut agent = runner_core::wrappers::Limited::to_moves(agent, 300);
        play(game, &mut agent, &mut Random::stream(Seed(5), number), &stop)
    };
    (0..).map(play_one).filter(|game| !game.finished).map(|game| game.last).take(8).collect()
}

fn trained(game: &Game2048) -> TcNtuple {
    let host: Arc<dyn Host> = Arc::new(SingleThread);
    let context = BuildContext { game: game.description(), game_spec: "2048", host: &host };
    let learner = TcNtuple::new(TcConfig::default(), &context).expect("the defaults are valid");
    let budget = TrainingBudget { moves: Some(TRAINING_MOVES), ..TrainingBudget::default() };
    let session = TrainingSession {
        budget,
        plan: budget,
        seed: Seed(1),
        ..TrainingSession::new(&SingleThread, &|_: &TrainingProgress| Control::Continue)
    };
    learner.train(game, &session).expect("it trains");
    learner
}
