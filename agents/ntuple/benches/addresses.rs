//! The effect of the addresses of tables: `cargo bench -p agent-ntuple --bench addresses`.
//!
//! Compares tables that lie at powers of two from each other with the offsets and permutations of
//! [`memory`](agent_ntuple_network::memory), in turns, on one thread: training of four 6-tuples by TC,
//! and the values of the afterstates of a game. Only addresses differ, so the weights must not.

#[allow(dead_code)] // Tests use the rest.
#[path = "../tests/ntuple/support/bare_learner.rs"]
mod bare_learner;

use agent_ntuple::learners::Tc;
use agent_ntuple::schedule::Schedule;
use agent_ntuple::update::UpdateScheme;
use agent_ntuple_network::memory::{Entries, Region};
use agent_ntuple_network::{Estimates, Places, ValueFunction, WeightIndex};
use bare_learner::{BareLearner, moves};
use game_2048::{Config, Game2048};
use runner_core::{Afterstate, Game, Random, Seed, Successors};
use std::hint::black_box;
use std::time::Instant;

const ROUNDS: usize = 5;

/// Moves before the first measured round, so that the tables are in use.
const WARM_UP: u64 = 8_000_000;

const MOVES: u64 = 2_000_000;

fn main() {
    let game = Game2048::new(Config::default()).expect("the defaults are valid");
    let tc = |lookups| Tc::new(Schedule::Constant(1.0), 0.0, lookups);
    let mut apart = BareLearner::of(ValueFunction::Afterstates, &game, "4x6", tc);
    let mut colliding = BareLearner::of(ValueFunction::Afterstates, &game, "4x6", tc);
    colliding.lookup = colliding.lookup.unpermuted();
    colliding.weights = Region::aligned(colliding.lookup.weights()).expect("the memory is there");
    colliding.memory = Region::aligned(colliding.lookup.weights()).expect("the memory is there");
    for learner in [&mut apart, &mut colliding] {
        train(learner, &game, WARM_UP);
    }
    let positions = positions(&game);
    println!("{:>24} {:>24}", "training, M moves/s", "M values/s");
    println!("{}", "   powers of 2  apart (x)".repeat(2));
    for _ in 0..ROUNDS {
        let [slow, fast] = [&mut colliding, &mut apart].map(|it| train(it, &game, MOVES));
        let [slow_values, fast_values] = [&colliding, &apart].map(|it| evaluate(it, &positions));
        for (slow, fast) in [(slow, fast), (slow_values, fast_values)] {
            print!("{slow:14.2} {fast:6.2} ({:.2})", fast / slow);
        }
        println!();
    }
    let of = |learner: &BareLearner<Tc>| {
        let weights = Places::new(&learner.weights, &learner.lookup);
        weights.iter().map(|weight| u64::from(weight.get().to_bits())).sum::<u64>()
    };
    assert_eq!(of(&apart), of(&colliding), "the same training");
}

fn train(learner: &mut BareLearner<Tc>, game: &Game2048, count: u64) -> f64 {
    let began = Instant::now();
    learner.train(game, UpdateScheme::Forward { lambda: 0.5, horizon: 3 }, moves(count));
    count as f64 / began.elapsed().as_secs_f64() / 1e6
}

/// Returns the afterstates of all actions in the states of games of random actions.
fn positions(game: &Game2048) -> Vec<Afterstate> {
    let (mut random, mut successors) = (Random::stream(Seed(1), 0), Successors::new());
    let (mut positions, mut state) = (Vec::new(), game.start(random.word()));
    while positions.len() < 100_000 {
        game.successors(state, &mut successors);
        positions.extend(successors.iter().map(|successor| successor.afterstate));
        state = match successors.len() {
            0 => game.start(random.word()),
            count => {
                let chosen = random.below(count as u32) as usize;
                let next = successors[chosen].afterstate;
                game.spawn(next, random.word())
            }
        };
    }
    positions
}

fn evaluate(learner: &BareLearner<Tc>, positions: &[Afterstate]) -> f64 {
    let (weights, lookup) = (Entries::new(&learner.weights), &learner.lookup);
    let values = Estimates { weights, lookup, promotion: None };
    let mut indices = vec![WeightIndex::default(); lookup.per_position()];
    let began = Instant::now();
    let mut sum = 0.0;
    for &position in positions {
        lookup.indices(position, &mut indices);
        sum += values.of_indices(&indices);
    }
    black_box(sum);
    positions.len() as f64 / began.elapsed().as_secs_f64() / 1e6
}
