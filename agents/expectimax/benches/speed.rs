//! Speed of the search: `cargo bench -p agent-expectimax`.
//! Each speed is the best of several repetitions. Arguments after `--` select rows by name:
//! `cargo bench -p agent-expectimax -- "3 plies" "rows"`.

use agent_baselines::heuristics::{Rows, RowsConfig};
use agent_expectimax::{Expectimax, SearchOptions, SearchResult};
use agent_ntuple::{TcConfig, TcNtuple};
use game_2048::{Config, Game2048};
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use runner_core::{
    BuildContext, BuildError, Control, Game, Host, Learner, Random, Seed, SingleThread, Spec,
    State, Successors, TrainingBudget, TrainingProgress, TrainingSession, Value, ValuePlugin,
};
use runner_laws::doubles::with_turn;
use std::sync::Arc;
use std::time::Instant;

const REPETITIONS: usize = 5;
const TRAINING_MOVES: u64 = 20_000_000;

/// A thread pool, like the program's.
struct Threads(ThreadPool);

impl Threads {
    fn new(count: usize) -> Self {
        Self(ThreadPoolBuilder::new().num_threads(count).build().expect("threads start"))
    }
}

impl Host for Threads {
    fn threads(&self) -> usize {
        self.0.current_num_threads()
    }

    fn for_each(&self, n: usize, task: &(dyn Fn(usize) + Sync)) {
        self.0.install(|| (0..n).into_par_iter().with_max_len(1).for_each(task));
    }

    fn value(&self, spec: &Spec) -> Result<Arc<dyn Value>, BuildError> {
        SingleThread.value(spec)
    }
}

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|w| name.contains(w));
    let game = Game2048::new(Config::default()).expect("the defaults are valid");
    let value: Arc<dyn Value> = Arc::new(trained(&game));
    let positions = positions(&game, &value);
    println!(
        "{:36} {:>10} {:>12} {:>8} {:>14}",
        "four 6-tuples", "k moves/s", "M leaves/s", "hits", "k nodes/move"
    );
    let rows: Arc<dyn Value> = Arc::new(rows(&game));
    for (what, value, depths) in [("", &value, 2..=4), ("rows, ", &rows, 3..=5)] {
        for plies in depths {
            for (table, table_bytes) in [("without table", None), ("table", Some(16 << 20))] {
                let name = format!("{what}{plies} plies, {table}");
                if is_wanted(&name) {
                    let options = SearchOptions { table_bytes, ..SearchOptions::plies(plies) };
                    report(&name, &game, value, &options, 1, &positions);
                }
            }
        }
    }
    for (what, value) in [("", &value), ("rows, ", &rows)] {
        for plies in [4, 5, 6] {
            for threads in [1, 2] {
                let name = format!("{what}{plies} plies, {threads} threads for one move");
                if is_wanted(&name) {
                    let options = SearchOptions { threads, ..SearchOptions::plies(plies) };
                    report(&name, &game, value, &options, threads, &positions);
                }
            }
        }
    }
}

fn report(
    name: &str,
    game: &Game2048,
    value: &Arc<dyn Value>,
    options: &SearchOptions,
    threads: usize,
    positions: &[State],
) {
    // Fewer positions at greater depths, from one ply on.
    let plies = usize::from(options.depth.min);
    let count = [positions.len(), 20_000, 1000, 100, 10][plies.clamp(1, 5) - 1];
    let positions = &positions[..count];
    // Moves and leaves per second, table hits per node, nodes per move.
    let mut best = (0.0, 0.0, 0.0, 0.0);
    for _ in 0..REPETITIONS {
        let host = Arc::new(Threads::new(threads));
        let mut player = Expectimax::with_options(value.clone(), options.clone(), host);
        let (mut leaves, mut hits, mut nodes) = (0, 0, 0);
        let began = Instant::now();
        for &state in positions {
            let SearchResult { stats, .. } = search(game, &mut player, state);
            leaves += stats.leaves;
            hits += stats.hits;
            nodes += stats.nodes;
        }
        let time = began.elapsed().as_secs_f64();
        let speed = count as f64 / time;
        if speed > best.0 {
            let nodes = nodes as f64;
            best = (speed, leaves as f64 / time, hits as f64 / nodes, nodes / count as f64);
        }
    }
    let (speed, leaves, hits, nodes) = best;
    println!(
        "{name:36} {:>10.3} {:>12.2} {:>7.1}% {:>14.2}",
        speed / 1e3,
        leaves / 1e6,
        hits * 100.0,
        nodes / 1e3
    );
}

fn search(game: &Game2048, player: &mut Expectimax, state: State) -> SearchResult {
    with_turn(game, state, 0, |turn| player.search(game, turn))
}

/// Returns the state after the move that a search has found, unless the game is over.
fn next_state(
    game: &Game2048,
    state: State,
    found: &SearchResult,
    random: &mut Random,
) -> Option<State> {
    let mut successors = Successors::new();
    game.successors(state, &mut successors);
    let chosen = found.best.and_then(|action| successors.of(action)).expect("it is legal");
    let next = game.spawn(chosen.afterstate, random.word());
    game.successors(next, &mut successors);
    (!successors.is_empty()).then_some(next)
}

fn rows(game: &Game2048) -> Rows {
    let host: Arc<dyn Host> = Arc::new(SingleThread);
    let context = BuildContext { game: game.description(), game_spec: "2048", host: &host };
    Rows::new(RowsConfig::default(), &context).expect("the defaults are valid")
}

fn trained(game: &Game2048) -> TcNtuple {
    let host: Arc<dyn Host> = Arc::new(SingleThread);
    let context = BuildContext { game: game.description(), game_spec: "2048", host: &host };
    let learner = TcNtuple::new(TcConfig::default(), &context).expect("the defaults are valid");
    let budget = TrainingBudget { moves: Some(TRAINING_MOVES), ..TrainingBudget::default() };
    let threads = Threads::new(2);
    let session = TrainingSession {
        budget,
        plan: budget,
        seed: Seed(1),
        ..TrainingSession::new(&threads, &|_: &TrainingProgress| Control::Continue)
    };
    learner.train(game, &session).expect("it trains");
    learner
}

/// Returns 20,000 positions of greedy games.
fn positions(game: &Game2048, value: &Arc<dyn Value>) -> Vec<State> {
    let mut positions = Vec::new();
    let options = SearchOptions::plies(1);
    let mut player = Expectimax::with_options(value.clone(), options, Arc::new(SingleThread));
    for number in 0..u64::MAX {
        let mut random = Random::stream(Seed(3), number);
        let mut next = Some(game.start(random.word()));
        while let Some(state) = next {
            if positions.len() == 20_000 {
                return positions;
            }
            positions.push(state);
            let found = search(game, &mut player, state);
            next = next_state(game, state, &found, &mut random);
        }
    }
    positions
}
