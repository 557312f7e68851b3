//! Speed of a small convolutional network on one core: steps of training, positions evaluated
//! in batches of several sizes, and the first layer as a sum of rows against a matrix product.

use agent_neural::{Activations, Adam, Encoder, Input, Kind, Layer, Network};
use runner_core::{Game, Random};
use std::hint::black_box;
use std::time::{Duration, Instant};

fn rate(mut work: impl FnMut()) -> f64 {
    work();
    let (began, mut calls) = (Instant::now(), 0);
    while began.elapsed() < Duration::from_secs(1) {
        work();
        calls += 1;
    }
    f64::from(calls) / began.elapsed().as_secs_f64()
}

/// Two convolutions of 2 x 2 with 64 channels, a hidden layer of 128, five outputs.
fn network(first: Layer) -> Network {
    let kernel = [2, 2];
    Network::new(vec![
        first,
        Layer::new(Kind::Patches { grid: [3, 3], kernel, channels: 64 }, false),
        Layer::new(Kind::Dense { places: 4, inputs: 256, outputs: 64 }, true),
        Layer::dense(256, 128, true),
        Layer::dense(128, 5, false),
    ])
}

fn main() {
    let game = game_2048::Game2048::new(Default::default()).expect("the defaults are allowed");
    let board = game.description().geometry.as_ref().expect("2048 has a board");
    let encoder = Encoder::new(board, [2, 2]);
    let network = network(encoder.layer(64, true));
    let mut random = Random::from_word(1);
    let mut parameters = network.random(&mut random);
    let mut at = Activations::default();
    let mut single = 0.0;
    for batch in [1, 8, 32, 64, 256] {
        let mut rows = Vec::new();
        for _ in 0..batch {
            encoder.encode(u128::from(random.word() & 0x7777_7777_7777_7777), &mut rows);
        }
        let positions = f64::from(batch)
            * rate(|| {
                black_box(network.forward(&parameters, Input::Rows(&rows), &mut at));
            });
        if batch == 1 {
            single = positions;
        }
        println!(
            "inference, batches of {batch}: {positions:.0} positions/s, {:.1} x",
            positions / single
        );
        if batch == 256 {
            let errors = vec![0.01; 256 * 5];
            let mut adam = Adam::new(network.parameters());
            let steps = rate(|| {
                let mut gradient = vec![0.0; network.parameters()];
                network.forward(&parameters, Input::Rows(&rows), &mut at);
                network.backward(&parameters, Input::Rows(&rows), &errors, &mut at, &mut gradient);
                adam.step(&mut parameters, &gradient, 1e-6, 0.0);
            });
            println!("training, batches of 256: {steps:.1} steps/s");
        }
    }
}
