//! Speeds of training and play: `cargo bench -p agent-ntuple`. Every figure is the best of several
//! runs. Words after `--` select by name: `cargo bench -p agent-ntuple -- "tc 4x6"`.

use agent_ntuple::{Joint, Shared, TcConfig, TcNtuple, TdConfig, TdNtuple};
use game_2048::{Config, Game2048};
use runner_core::{
    BuildContext, BuildError, Control, Game, GreedyPolicy, Host, Learner, Random, Seed,
    SingleThread, TrainingBudget, TrainingProgress, TrainingSession, ValuePlugin, play_interleaved,
};
use runner_laws::doubles::TestThreads;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

const RUNS: u32 = 5;
/// Moves of training before the first measured run, so that the tables are in use as in most of
/// a training.
const WARM_UP: u64 = 8_000_000;
/// The same for the comparison of stages: enough that games reach four of them.
const STAGES_WARM_UP: u64 = 60_000_000;
const MOVES: u64 = 2_000_000;

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|w| name.contains(w));
    if is_wanted("stages") {
        stages();
    }
    println!("{:24} {:>8} {:>10}", "", "threads", "M moves/s");
    for (network, update, lambda) in [
        ("4x6", "forward", 0.0),
        ("4x6", "forward", 0.5),
        ("4x6", "delayed", 0.5),
        ("4x6", "backward", 0.0),
        ("8x6", "forward", 0.0),
    ] {
        let name = |rule: &str| match lambda {
            0.0 => format!("{rule} {network} {update}"),
            _ => format!("{rule} {network} {update} {lambda}"),
        };
        let shared = Shared {
            network: Some(network.into()),
            update: Some(update.into()),
            lambda: Some(lambda),
            ..Shared::default()
        };
        if is_wanted(&name("tc")) {
            let config = TcConfig { shared: shared.clone(), ..TcConfig::default() };
            speeds(&name("tc"), |context| TcNtuple::new(config.clone(), context));
        }
        if is_wanted(&name("td")) {
            let config = TdConfig { shared, ..TdConfig::default() };
            speeds(&name("td"), |context| TdNtuple::new(config.clone(), context));
        }
    }
}

/// Measures training on one and on two threads, and greedy play.
fn speeds<L: ValuePlugin + Learner>(
    name: &str,
    build: impl Fn(&BuildContext<'_>) -> Result<L, BuildError>,
) {
    let (game, learner) = built(build);
    train(&learner, &game, 1, WARM_UP);
    let one = best(|| train(&learner, &game, 1, MOVES));
    print(name, 1, one, None);
    let two = best(|| train(&learner, &game, 2, 2 * MOVES));
    print(name, 2, two, Some(two / one));
    let player = GreedyPolicy(learner);
    let play = || {
        let began = Instant::now();
        let (mut games, mut moves) = (0..200, 0);
        let next = || games.next().map(|k| (k, Random::stream(Seed(2), k)));
        let stop = AtomicBool::new(false);
        play_interleaved(&game, &player, 8, next, |_, episode| moves += episode.moves, &stop);
        moves as f64 / began.elapsed().as_secs_f64()
    };
    print(&format!("{name}, play"), 1, best(play), None);
}

/// Measures training with 16 stages against one stage, in turns.
fn stages() {
    println!("training of 4x6, one thread");
    let [(game, one), (_, separate), (_, promoted)] =
        [None, Some("none"), Some("weights")].map(|promotion| {
            let joint = Joint {
                stages: promotion.map(|_| "2^4".into()),
                promotion: promotion.and_then(agent_ntuple_network::Inheritance::named),
                ..Joint::default()
            };
            let config = TcConfig { joint, ..TcConfig::default() };
            let (game, learner) = built(|context| TcNtuple::new(config.clone(), context));
            train(&learner, &game, 1, STAGES_WARM_UP);
            (game, learner)
        });
    println!("{:>12} {:>24} {:>18}", "one stage", "2^4 without promotion", "2^4 promoted");
    for _ in 0..RUNS {
        let [one, separate, promoted] =
            [&one, &separate, &promoted].map(|learner| train(learner, &game, 1, MOVES) / 1e6);
        let (ratio, promoted_ratio) = (separate / one, promoted / one);
        println!(
            "{one:12.2} {separate:16.2} ({ratio:.2} x) {promoted:11.2} ({promoted_ratio:.2} x)"
        );
    }
}

fn built<L>(build: impl Fn(&BuildContext<'_>) -> Result<L, BuildError>) -> (Game2048, L) {
    let game = Game2048::new(Config::default()).expect("the defaults are valid");
    let host: Arc<dyn Host> = Arc::new(SingleThread);
    let context = BuildContext { game: game.description(), game_spec: "2048", host: &host };
    let learner = build(&context).expect("the options are valid");
    (game, learner)
}

fn train(learner: &impl Learner, game: &Game2048, threads: usize, moves: u64) -> f64 {
    let threads = TestThreads(threads);
    let session = TrainingSession {
        budget: TrainingBudget { moves: Some(moves), ..TrainingBudget::default() },
        ..TrainingSession::new(&threads, &|_: &TrainingProgress| Control::Continue)
    };
    let began = Instant::now();
    learner.train(game, &session).expect("the training succeeds");
    moves as f64 / began.elapsed().as_secs_f64()
}

fn print(name: &str, threads: usize, speed: f64, ratio: Option<f64>) {
    let ratio = ratio.map_or(String::new(), |ratio| format!("  {ratio:.2} x one thread"));
    println!("{name:24} {threads:>8} {:>10.2}{ratio}", speed / 1e6);
}

fn best(mut run: impl FnMut() -> f64) -> f64 {
    (0..RUNS).map(|_| run()).fold(0.0, f64::max)
}
