//! How training scales from one thread to two on this machine, in states that the bench makes itself:
//! `cargo bench -p agent-ntuple --bench threads`. All states are measured in turns, so that they share
//! the hour.
//!
//! Two threads on one network hand each other sums, or write to lines that the other one reads. How much that
//! costs depends on the time that a line takes from one core to the other, which comes first.

use agent_ntuple::{Joint, TcConfig, TcNtuple};
use game_2048::{Config, Game2048};
use runner_core::{
    BuildContext, Control, Game, Host, Learner, SingleThread, TrainingBudget, TrainingProgress,
    TrainingSession, ValuePlugin,
};
use runner_laws::doubles::TestThreads;
use std::env;
use std::hint::{black_box, spin_loop};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

const ROUNDS: usize = 5;
/// Moves before the first measurement, so that most weights of a training are touched.
const WARM_UP: u64 = 20_000_000;
const MOVES: u64 = 20_000_000;
const STAGES: Option<&str> = Some("1024");
/// Words of the memory that the neighbour reads: 512 MiB.
const NEIGHBOUR: usize = 1 << 26;

/// A learner and its game.
struct Training {
    game: Game2048,
    learner: TcNtuple,
}

fn main() {
    match env::args().nth(1).as_deref() {
        Some("trainer") => serve_trainings(),
        Some("neighbour") => read_at_random(),
        _ => compare(),
    }
}

fn compare() {
    println!("one line, from core to core: {:.0} ns one way", hand_over());
    println!("TC, four 6-tuples, M moves/s of {ROUNDS} rounds in turns");
    let (one, two) = (Training::new(None), Training::new(None));
    // About half of the moves are in each stage.
    let (one_staged, two_staged) = (Training::new(STAGES), Training::new(STAGES));
    let mut other = Other::new("trainer");
    one.run(1, WARM_UP);
    two.run(2, WARM_UP);
    one_staged.run(1, WARM_UP);
    two_staged.run(2, WARM_UP);
    let mut rows: Vec<(&str, Vec<f64>)> = Vec::new();
    let mut add = |name, speed| match rows.iter_mut().find(|row| row.0 == name) {
        Some(row) => row.1.push(speed),
        None => rows.push((name, vec![speed])),
    };
    for _ in 0..ROUNDS {
        add("one thread", one.run(1, MOVES));
        add("two threads", two.run(2, 2 * MOVES));
        other.begin();
        let here = one.run(1, MOVES);
        add("two processes, in all", here + other.speed());
        let neighbour = Other::new("neighbour");
        add("one thread, neighbour", one.run(1, MOVES));
        add("two threads, neighbour", two.run(2, 2 * MOVES));
        drop(neighbour);
        add("two stages, one thread", one_staged.run(1, MOVES));
        add("two stages, two threads", two_staged.run(2, 2 * MOVES));
    }
    let mut base = 0.0;
    for (name, speeds) in &rows {
        if name.ends_with("one thread") {
            base = median(speeds);
        }
        let each: Vec<String> = speeds.iter().map(|speed| format!("{speed:.2}")).collect();
        let ratio = median(speeds) / base;
        println!("{name:24} {:5.2} ({})  {ratio:.2} x one thread", median(speeds), each.join(" "));
    }
}

fn median(speeds: &[f64]) -> f64 {
    let mut sorted = speeds.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

impl Training {
    fn new(stages: Option<&str>) -> Self {
        let game = Game2048::new(Config::default()).expect("the defaults are valid");
        let host: Arc<dyn Host> = Arc::new(SingleThread);
        let context = BuildContext { game: game.description(), game_spec: "2048", host: &host };
        let joint = Joint { stages: stages.map(str::to_owned), ..Joint::default() };
        let config = TcConfig { joint, ..TcConfig::default() };
        let learner = TcNtuple::new(config, &context).expect("the defaults are valid");
        Self { game, learner }
    }

    /// Trains, and returns millions of moves per second.
    fn run(&self, threads: usize, moves: u64) -> f64 {
        let threads = TestThreads(threads);
        let session = TrainingSession {
            budget: TrainingBudget { moves: Some(moves), ..TrainingBudget::default() },
            ..TrainingSession::new(&threads, &|_: &TrainingProgress| Control::Continue)
        };
        let began = Instant::now();
        self.learner.train(&self.game, &session).expect("the training succeeds");
        moves as f64 / began.elapsed().as_secs_f64() / 1e6
    }
}

/// This program once more, as a second process.
struct Other {
    process: Child,
    output: BufReader<ChildStdout>,
}

impl Other {
    fn new(role: &str) -> Self {
        let program = env::current_exe().expect("the program has a path");
        let mut command = Command::new(program);
        command.arg(role).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().expect("the program starts");
        let output = process.stdout.take().expect("its output is piped");
        let mut other = Self { process, output: BufReader::new(output) };
        other.line();
        other
    }

    fn begin(&mut self) {
        let input = self.process.stdin.as_mut().expect("its input is piped");
        writeln!(input).expect("it reads");
    }

    fn speed(&mut self) -> f64 {
        self.line().trim().parse().expect("it prints a speed")
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("it writes");
        line
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        // Its work is done, whether it has ended or not.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The second process: trains its own network whenever it reads a line.
fn serve_trainings() {
    let training = Training::new(None);
    training.run(1, WARM_UP);
    println!("ready");
    for _ in BufReader::new(std::io::stdin()).lines() {
        println!("{}", training.run(1, MOVES));
    }
}

/// The neighbour: reads memory at random until it is ended.
fn read_at_random() {
    let memory: Vec<u64> = (0..NEIGHBOUR as u64).collect();
    println!("ready");
    let (mut at, mut sum) = (1u64, 0u64);
    loop {
        at ^= at << 13;
        at ^= at >> 7;
        at ^= at << 17;
        sum = sum.wrapping_add(memory[at as usize % NEIGHBOUR]);
        black_box(sum);
    }
}

/// Returns the time in nanoseconds after which a word that one core has written is seen by another.
fn hand_over() -> f64 {
    const TURNS: u64 = 1_000_000;
    let word = AtomicU64::new(0);
    let play = |parity: u64| {
        for turn in 0..TURNS {
            while word.load(Relaxed) != 2 * turn + parity {
                spin_loop();
            }
            word.store(2 * turn + parity + 1, Relaxed);
        }
    };
    let began = Instant::now();
    std::thread::scope(|scope| {
        scope.spawn(|| play(1));
        play(0);
    });
    began.elapsed().as_secs_f64() * 1e9 / (2 * TURNS) as f64
}
