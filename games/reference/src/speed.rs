//! Measures a game and its reference on one core, in the same run.

use runner_core::playouts::totals;
use runner_core::{Action, Agent, Game, Random, Seed, Successors, Turn, best_action, play};
use std::hint::black_box;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// The duration of a measurement, which is the best of its passes. Passes are short, so that
/// other processes do not disturb all of them.
const TIME: Duration = Duration::from_millis(400);

const PASS: Duration = Duration::from_millis(2);

pub type Pair<G, R> = (String, G, R);

/// Measures all pairs and prints the results.
pub fn report<G: Game, R: Game>(pairs: &[Pair<G, R>]) {
    println!("successors of states from play, ns/state");
    for (name, fast, slow) in pairs {
        let (fast, slow) = (1e9 / successors(fast), 1e9 / successors(slow));
        println!("  {name}  {fast:8.2}   reference {slow:8.0}   ratio {:5.0}", slow / fast);
    }
    println!("random playouts, million moves/s");
    for (name, fast, slow) in pairs {
        compare_rates(name, playouts(fast), playouts(slow));
    }
    println!("greedy episodes through runner_core::play, million moves/s");
    for (name, fast, slow) in pairs {
        compare_rates(name, episodes(fast), episodes(slow));
    }
}

fn compare_rates(name: &str, fast: f64, slow: f64) {
    let (fast, slow) = (fast / 1e6, slow / 1e6);
    println!("  {name}  {fast:8.2}   reference {slow:8.3}   ratio {:5.0}", fast / slow);
}

/// An agent that takes the largest immediate reward.
#[derive(Clone)]
struct Greedy;

impl Agent for Greedy {
    fn act<G: Game>(&mut self, _: &G, turn: &Turn<'_>) -> Option<Action> {
        best_action(turn.successors.iter().map(|s| (s.action, s.reward)))
    }
}

/// Returns the best rate per second. `pass(n)` does `n` portions of work and returns its
/// amount.
fn rate(mut pass: impl FnMut(u64) -> u64) -> f64 {
    let mut timed = |portions| {
        let begun = Instant::now();
        let done = black_box(pass(portions));
        (begun.elapsed(), done)
    };
    let mut portions = 1;
    while timed(portions).0 < PASS {
        portions *= 2;
    }
    let all = Instant::now();
    let mut rate = 0.0_f64;
    while all.elapsed() < TIME {
        let (time, done) = timed(portions);
        rate = rate.max(done as f64 / time.as_secs_f64());
    }
    rate
}

/// Returns the number of states per second whose successors are listed: of a thousand states of
/// greedy games, in the order of play.
fn successors<G: Game>(game: &G) -> f64 {
    let mut states = Vec::new();
    let mut random = Random::stream(Seed(1), 0);
    let mut out = Successors::new();
    while states.len() < 1_000 {
        let mut state = game.start(random.word());
        loop {
            game.successors(state, &mut out);
            let Some(action) = best_action(out.iter().map(|s| (s.action, s.reward))) else { break };
            states.push(state);
            state = game.spawn(out.of(action).unwrap().afterstate, random.word());
        }
    }
    rate(|passes| {
        for _ in 0..passes {
            for &state in &states {
                game.successors(black_box(state), &mut out);
                black_box(&out);
            }
        }
        passes * states.len() as u64
    })
}

fn playouts<G: Game>(game: &G) -> f64 {
    let start = game.start(1);
    rate(|games| totals(game, black_box(start), games, 1).moves)
}

/// Returns the moves per second in games of the greedy agent.
fn episodes<G: Game>(game: &G) -> f64 {
    let never = AtomicBool::new(false);
    let one = |k| play(game, &mut Greedy, &mut Random::stream(Seed(1), k), &never).moves;
    rate(|games| (0..games).map(one).sum())
}
