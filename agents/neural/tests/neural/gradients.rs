//! The gradient of every kind of layer against finite differences, and layers against slower
//! definitions of them.

use agent_neural::optimizer::{Part, sum};
use agent_neural::{Activations, Encoder, Input, Kind, Layer, Network};
use runner_core::{Game, Random, SingleThread};

/// Returns a loss: the sum of the outputs, each multiplied by its factor.
fn loss(network: &Network, parameters: &[f32], input: Input<'_>) -> f64 {
    let mut at = Activations::default();
    let outputs = network.forward(parameters, input, &mut at);
    outputs.iter().zip(factors(outputs.len())).map(|(x, factor)| f64::from(x * factor)).sum()
}

fn factors(count: usize) -> Vec<f32> {
    (0..count).map(|k| ((k * 7 % 11) as f32 - 5.0) / 5.0).collect()
}

/// Compares the gradient in some directions with the slope of the loss.
fn check(network: &Network, input: Input<'_>) {
    let mut random = Random::from_word(5);
    let mut parameters = network.random(&mut random);
    // Biases begin with 0, where ReLU has a corner.
    parameters.iter_mut().for_each(|x| *x += random.below(100) as f32 / 1000.0);
    let mut at = Activations::default();
    let mut gradient = vec![0.0; network.parameters()];
    let outputs = network.forward(&parameters, input, &mut at).len();
    network.backward(
        &network.transposed(&parameters),
        input,
        &factors(outputs),
        &mut at,
        &mut gradient,
    );
    let mut slopes = 0;
    for (k, &expected) in gradient.iter().enumerate() {
        let step = 2e-3;
        let mut shifted = parameters.clone();
        shifted[k] += step;
        let more = loss(network, &shifted, input);
        shifted[k] -= 2.0 * step;
        let less = loss(network, &shifted, input);
        let slope = (more - less) / f64::from(2.0 * step);
        let off = (slope - f64::from(expected)).abs();
        // A unit may pass its corner within the step.
        slopes += usize::from(off < 0.02 * (1.0 + slope.abs()));
    }
    let share = slopes as f64 / gradient.len() as f64;
    assert!(share > 0.98, "{share} of {} slopes agree: {network:?}", gradient.len());
    assert!(gradient.iter().filter(|x| **x != 0.0).count() > gradient.len() / 4);
}

#[test]
fn gradients_of_dense_layers_and_residual_blocks_equal_finite_differences() {
    let block = [Layer::dense(8, 8, true), Layer { skip: true, ..Layer::dense(8, 8, true) }];
    let layers = [Layer::dense(6, 8, true)].into_iter().chain(block);
    let network = Network::new(layers.chain([Layer::dense(8, 3, false)]).collect());
    let numbers: Vec<f32> = (0..30).map(|k| (k * 13 % 17) as f32 / 8.0 - 1.0).collect();
    check(&network, Input::Numbers(&numbers));
}

#[test]
fn gradients_of_tables_and_convolutions_equal_finite_differences() {
    let table = Kind::Table { places: 6, terms: 2, rows: 5, width: 3 };
    let layers = vec![
        Layer::new(table, true),
        Layer::new(Kind::Patches { grid: [2, 3], kernel: [2, 2], channels: 3 }, false),
        Layer::new(Kind::Dense { places: 2, inputs: 12, outputs: 4 }, true),
        Layer::dense(8, 2, false),
    ];
    let rows: Vec<u16> = (0..48).map(|k| (k * 7 % 5) as u16).collect();
    check(&Network::new(layers), Input::Rows(&rows));
}

#[test]
fn a_sum_of_table_rows_equals_the_product_with_one_hot_numbers() {
    let game = game_threes::Threes::new(Default::default()).unwrap();
    let board = game.description().geometry.as_ref().unwrap();
    let encoder = Encoder::new(board, [board.rows, board.cols]);
    let layer = encoder.layer(20, true);
    let Kind::Table { rows: count, terms, .. } = layer.kind else { panic!("a table") };
    let (table, dense) =
        (Network::new(vec![layer]), Network::new(vec![Layer::dense(count, 20, true)]));
    let parameters = table.random(&mut Random::from_word(1));
    let (mut random, mut rows, mut numbers) = (Random::from_word(2), Vec::new(), Vec::new());
    for _ in 0..50 {
        let position = u128::from(random.word()) << 64 | u128::from(random.word());
        let first = rows.len();
        encoder.encode(position, &mut rows);
        assert_eq!(rows.len() - first, terms);
        let mut one_hot = vec![0.0; count];
        rows[first..].iter().for_each(|&row| one_hot[usize::from(row)] += 1.0);
        assert_eq!(one_hot.iter().sum::<f32>(), terms as f32, "each term names another row");
        numbers.extend(one_hot);
    }
    let (mut one, mut other) = (Activations::default(), Activations::default());
    let sums = table.forward(&parameters, Input::Rows(&rows), &mut one);
    let products = dense.forward(&parameters, Input::Numbers(&numbers), &mut other);
    for (sum, product) in sums.iter().zip(products) {
        assert!((sum - product).abs() < 1e-5, "{sum} {product}");
    }
}

#[test]
fn a_convolution_equals_the_sum_over_its_kernel_at_every_place() {
    let game = game_2048::Game2048::new(Default::default()).unwrap();
    let board = game.description().geometry.as_ref().unwrap();
    let encoder = Encoder::new(board, [2, 2]);
    assert_eq!(encoder.grid(), [3, 3]);
    let first = encoder.layer(4, false);
    let parameters = Network::new(vec![first.clone()]).random(&mut Random::from_word(3));
    let position = 0x0123_4567_89ab_cdef_u128;
    let mut rows = Vec::new();
    encoder.encode(position, &mut rows);
    let mut at = Activations::default();
    let sums = Network::new(vec![first]).forward(&parameters, Input::Rows(&rows), &mut at).to_vec();
    let ranks = board.values.len();
    for (place, sums) in sums.chunks(4).enumerate() {
        let (row, column) = (place / 3, place % 3);
        for (channel, sum) in sums.iter().enumerate() {
            let term = |k: usize| {
                let cell = (row + k / 2) * 4 + column + k % 2;
                let rank = usize::from(board.rank(position, cell));
                parameters[(k * ranks + rank) * 4 + channel]
            };
            let expected: f32 = (0..4).map(term).sum();
            assert!((sum - expected).abs() < 1e-6);
        }
    }
}

#[test]
fn the_gradient_of_a_batch_is_the_sum_over_its_samples() {
    let network = Network::new(vec![Layer::dense(3, 4, true), Layer::dense(4, 2, false)]);
    let parameters = network.random(&mut Random::from_word(6));
    let numbers: Vec<f32> = (0..3 * 500).map(|k| (k * 5 % 23) as f32 / 10.0 - 1.0).collect();
    let task = |range: std::ops::Range<usize>, part: &mut Part| {
        let input = Input::Numbers(&numbers[3 * range.start..3 * range.end]);
        let Part { activations, gradient, losses, .. } = part;
        losses[0] += range.len() as f64;
        network.forward(&parameters, input, activations);
        network.backward(
            &network.transposed(&parameters),
            input,
            &vec![1.0; 2 * range.len()],
            activations,
            gradient,
        );
    };
    let (all, losses) = sum(&mut Vec::new(), &SingleThread, &network, 500, &task);
    let mut part = Part { gradient: vec![0.0; network.parameters()], ..Part::default() };
    (0..500).for_each(|k| task(k..k + 1, &mut part));
    assert_eq!(losses[0], 500.0);
    for (sum, expected) in all.iter().zip(&part.gradient) {
        assert!((sum - expected).abs() < 1e-2 * (1.0 + expected.abs()));
    }
}
