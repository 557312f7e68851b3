//! How fast 2048 is, on one core, beside the slow reference of the tests in the
//! same run.
//!
//!     taskset -c 0 cargo bench -p game-2048 --bench speed

#[path = "../tests/reference/mod.rs"]
mod reference;

use game_2048::{Config, Game2048};
use reference::Reference;
use runner_core::{
    Action, Agent, Game, GamePlugin, Random, Seed, State, Successors, Turn, best, play,
};
use std::hint::black_box;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// A measurement is the best of the passes that fit this time. Passes are short,
/// so that some are undisturbed by other processes.
const TIME: Duration = Duration::from_millis(400);

/// The largest immediate reward.
#[derive(Clone)]
struct Greedy;

impl Agent for Greedy {
    fn act<G: Game>(&mut self, _: &G, turn: &Turn<'_>) -> Option<Action> {
        best(turn.successors.iter().map(|s| (s.action, s.reward)))
    }
}

fn main() {
    let game = |rows, cols| Game2048::new(Config { rows, cols, ..Config::default() }).unwrap();
    let slow = |rows, cols| Reference::new(rows, cols, 0.1);

    println!("successors of states from play, ns a state");
    for (rows, cols, passes) in [(4, 4, 100), (3, 3, 100), (5, 5, 10)] {
        let name = format!("{rows}x{cols}");
        compare_ns(&name, successors(&game(rows, cols), passes), successors(&slow(rows, cols), 1));
    }
    println!("random playouts, million moves a second");
    for (rows, cols, games) in [(4, 4, 500), (3, 3, 2_000), (5, 5, 20)] {
        let name = format!("{rows}x{cols}");
        compare_rate(&name, playouts(&game(rows, cols), games), playouts(&slow(rows, cols), 1));
    }
    println!("greedy episodes through runner_core::play, million moves a second");
    for (rows, cols, games) in [(4, 4, 100), (3, 3, 500), (5, 5, 5)] {
        let name = format!("{rows}x{cols}");
        compare_rate(&name, episodes(&game(rows, cols), games), episodes(&slow(rows, cols), 1));
    }
    println!("again: taskset -c 0 cargo bench -p game-2048 --bench speed");
}

fn compare_ns(name: &str, fast: f64, slow: f64) {
    println!("  {name}  {:8.2}   reference {:8.0}   ratio {:5.0}", fast, slow, slow / fast);
}

fn compare_rate(name: &str, fast: f64, slow: f64) {
    println!("  {name}  {:8.2}   reference {:8.3}   ratio {:5.0}", fast, slow, fast / slow);
}

/// The least time of one pass, in seconds, and what the last pass returned.
fn least<T>(mut pass: impl FnMut() -> T) -> (f64, T) {
    let mut least = f64::INFINITY;
    let mut result = None;
    let all = Instant::now();
    while all.elapsed() < TIME {
        let begun = Instant::now();
        result = Some(black_box(pass()));
        least = least.min(begun.elapsed().as_secs_f64());
    }
    (least, result.expect("there is a pass"))
}

/// Nanoseconds to list the successors of a state, of a thousand from the greedy
/// agent's games, in the order of play.
fn successors<G: Game>(game: &G, passes: usize) -> f64 {
    let mut states = Vec::new();
    let mut random = Random::stream(Seed(1), 0);
    let mut out = Successors::new();
    while states.len() < 1_000 {
        let mut state = game.start(random.word());
        loop {
            game.successors(state, &mut out);
            let Some(action) = best(out.iter().map(|s| (s.action, s.reward))) else { break };
            states.push(state);
            state = game.spawn(out.of(action).unwrap().afterstate, random.word());
        }
    }
    let (seconds, _) = least(|| {
        let mut legal = 0;
        for _ in 0..passes {
            for &state in &states {
                game.successors(black_box(state), &mut out);
                legal += black_box(&out).len();
            }
        }
        legal
    });
    seconds * 1e9 / (passes * states.len()) as f64
}

/// Million moves a second in random games.
fn playouts<G: Game>(game: &G, games: u64) -> f64 {
    let start: State = game.start(1);
    let (seconds, played) = least(|| game.playouts(black_box(start), games, 1));
    played.moves as f64 / seconds / 1e6
}

/// Million moves a second in whole games of the greedy agent.
fn episodes<G: Game>(game: &G, games: u64) -> f64 {
    let never = AtomicBool::new(false);
    let (seconds, moves) = least(|| {
        let game_number =
            |k| play(game, &mut Greedy, &mut Random::stream(Seed(1), k), &never).moves;
        (0..games).map(game_number).sum::<u64>()
    });
    moves as f64 / seconds / 1e6
}
