//! Speed of the default networks of `alpha-zero` and `policy-net` on one core, in positions per
//! second: inference in batches of several sizes, and steps of training. Shares are those of the
//! core's peak, which is measured too.

use agent_neural::{
    Activations, Adam, Encoder, Kind, Layer, Network, Optimizer, PositionNetwork, Step,
};
use runner_core::geometry::Geometry;
use runner_core::{Game, Random, SingleThread, State};
use std::hint::black_box;
use std::time::{Duration, Instant};
use wide::f32x16;

const ACTIONS: usize = 4;
/// Sums that do not depend on each other: enough to hide the latency of an addition, and no more
/// than the registers hold.
const SUMS: usize = if cfg!(target_feature = "avx512f") { 16 } else { 6 };

fn rate(mut work: impl FnMut()) -> f64 {
    work();
    let (began, mut calls) = (Instant::now(), 0);
    while began.elapsed() < Duration::from_millis(500) {
        work();
        calls += 1;
    }
    f64::from(calls) / began.elapsed().as_secs_f64()
}

/// Returns the multiplications and additions per second of fused operations on registers.
fn peak() -> f64 {
    const STEPS: usize = 10_000;
    let factor = black_box(f32x16::splat(0.5));
    let mut sums = black_box([f32x16::splat(1.0); SUMS]);
    let calls = rate(|| {
        for _ in 0..STEPS {
            sums.iter_mut().for_each(|sum| *sum = sum.mul_add(factor, factor));
        }
        sums = black_box(sums);
    });
    calls * (STEPS * SUMS * 16 * 2) as f64
}

/// Two convolutions of 2 x 2 with 64 channels, a hidden layer of 128, a residual layer, the logits
/// and the value.
fn alpha_zero(board: &Geometry) -> PositionNetwork {
    let encoder = Encoder::new(board, [2, 2]);
    let (grid, kernel, channels) = ([3, 3], [2, 2], 64);
    let layers = vec![
        encoder.layer(channels, true),
        Layer::new(Kind::Patches { grid, kernel, channels }, false),
        Layer::new(Kind::Dense { places: 4, inputs: 256, outputs: channels }, true),
        Layer::dense(256, 128, true),
        Layer::dense(128, 128, true),
        Layer { skip: true, ..Layer::dense(128, 128, true) },
        Layer::dense(128, ACTIONS + 1, false),
    ];
    named("alpha-zero", encoder, layers)
}

/// Hidden layers of 200 and 100 units over one-hot inputs.
fn policy_net(board: &Geometry) -> PositionNetwork {
    let encoder = Encoder::new(board, [4, 4]);
    let first = encoder.layer(200, true);
    let layers = vec![first, Layer::dense(200, 100, true), Layer::dense(100, ACTIONS, false)];
    named("policy-net", encoder, layers)
}

fn named(name: &str, encoder: Encoder, layers: Vec<Layer>) -> PositionNetwork {
    let network = Network::new(layers);
    PositionNetwork { network, text: name.to_owned(), encoder, numbers: Vec::new() }
}

/// Returns the operations for a position: those of a forward pass, or of three such passes in
/// training, which computes the gradients of a layer's matrix and of its inputs too.
fn operations(network: &Network, passes: usize) -> usize {
    let of_layer = |layer: &Layer| match layer.kind {
        // The inputs of a table have no gradient.
        Kind::Table { places, terms, width, .. } => passes.min(2) * places * terms * width,
        Kind::Dense { places, inputs, outputs } => passes * 2 * places * inputs * outputs,
        Kind::Patches { .. } => 0,
    };
    network.layers().iter().map(of_layer).sum()
}

fn run(network: &PositionNetwork, training: usize, peak: f64) {
    let mut random = Random::from_word(1);
    let mut parameters = network.network.random(&mut random);
    let mut state = || State::from_bits(u128::from(random.word() & 0x7777_7777_7777_7777));
    let states: Vec<State> = (0..training).map(|_| state()).collect();
    let print = |work: &str, batch: usize, steps: f64, passes: usize| {
        let positions = steps * batch as f64;
        let share = 100.0 * positions * operations(&network.network, passes) as f64 / peak;
        let name = &network.text;
        println!("{name}, {work}, batches of {batch}: {positions:.0} positions/s, {share:.0}%");
    };
    let (mut rows, mut numbers, mut at) = (Vec::new(), Vec::new(), Activations::default());
    for batch in [1, 4, 16, 64, 256] {
        let input = network.encode(states[..batch].iter().copied(), &mut rows, &mut numbers);
        let steps = rate(|| {
            black_box(network.network.forward(&parameters, input, &mut at));
        });
        print("inference", batch, steps, 1);
    }
    let mut optimizer = Optimizer::new(Adam::new(network.network.parameters()));
    let loss = |_: usize, row: &mut [f32]| {
        row.iter_mut().for_each(|output| *output = 0.01 * (*output - 0.25));
        [0.0; 2]
    };
    let step = Step {
        samples: training,
        state: &|k| states[k],
        loss: &loss,
        rate: 1e-6,
        parameter: "rate",
        decay: 0.0,
    };
    let steps = rate(|| {
        let stepped = optimizer.step(network, &mut parameters, step, &SingleThread);
        stepped.expect("the training does not diverge");
    });
    print("training", training, steps, 3);
}

fn main() {
    let game = game_2048::Game2048::new(Default::default()).expect("the defaults are allowed");
    let board = game.description().geometry.as_ref().expect("2048 has a board");
    let peak = peak();
    println!("peak: {:.0} billion operations/s", peak / 1e9);
    run(&alpha_zero(board), 256, peak);
    run(&policy_net(board), 4096, peak);
}
