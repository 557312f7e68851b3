//! The network: a policy and a value for each position.

use super::config::Size;
use crate::layer::windows;
use crate::{Buffers, Encoder, Kind, Layer, Network, Parameters, PositionNetwork, softmax};
use runner_core::geometry::Geometry;
use runner_core::{Afterstate, Fault, Game, State, Successors, Value};
use std::slice::ChunksExact;
use std::sync::Arc;

/// A kernel has at most this many rows and columns.
const KERNEL: usize = 2;

/// Returns the network of a board: two convolutions, a hidden layer, a residual block. Its outputs
/// are the logits of all actions, and the value: the ratio of the future return to the average
/// result.
pub fn network(size: Size, board: &Geometry, actions: usize) -> PositionNetwork {
    let Size { channels, hidden } = size;
    let fit = |grid: [usize; 2]| grid.map(|length| length.min(KERNEL));
    let encoder = Encoder::new(board, fit([board.rows, board.cols]));
    let mut layers = vec![encoder.layer(channels, true)];
    let grid = encoder.grid();
    if grid != [1, 1] {
        let kernel = fit(grid);
        let [rows, columns] = windows(grid, kernel);
        let inputs = kernel[0] * kernel[1] * channels;
        layers.push(Layer::new(Kind::Patches { grid, kernel, channels }, false));
        let places = rows * columns;
        layers.push(Layer::new(Kind::Dense { places, inputs, outputs: channels }, true));
    }
    let flat = layers.last().expect("there is one").outputs();
    layers.push(Layer::dense(flat, hidden, true));
    layers.push(Layer::dense(hidden, hidden, true));
    layers.push(Layer { skip: true, ..Layer::dense(hidden, hidden, true) });
    layers.push(Layer::dense(hidden, actions + 1, false));
    let network = Network::new(layers);
    PositionNetwork { network, text: size.text(), encoder, numbers: Vec::new() }
}

/// Parameters with the average result that their values are ratios to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Weights {
    pub parameters: Parameters,
    /// The average result, in points.
    pub average: f64,
}

impl AsRef<[f32]> for Weights {
    fn as_ref(&self) -> &[f32] {
        &self.parameters
    }
}

#[derive(Clone, Debug)]
pub struct Estimator {
    pub network: Arc<PositionNetwork>,
    pub weights: Arc<Weights>,
}

impl Estimator {
    pub fn actions(&self) -> usize {
        self.network.network.outputs() - 1
    }

    /// Returns the logits and the ratio of each state, one row for each.
    pub fn outputs<'b>(
        &self,
        states: impl Iterator<Item = State>,
        buffers: &'b mut Buffers,
    ) -> ChunksExact<'b, f32> {
        self.network.outputs(&self.weights.parameters, states, buffers)
    }

    /// Returns the value in points that belongs to an output.
    pub fn points(&self, output: &[f32]) -> f32 {
        (f64::from(output[self.actions()]) * self.weights.average) as f32
    }
}

/// Appends the probabilities of the legal actions, in their order: the softmax of their logits.
pub fn priors(output: &[f32], successors: &Successors, out: &mut Vec<f32>) {
    let begin = out.len();
    out.extend(successors.iter().map(|s| output[s.action.index()]));
    softmax(&mut out[begin..]);
}

/// The value of a leaf is that of the network, and so are its priors.
impl Value for Estimator {
    fn evaluate(&self, _: &[Afterstate], _: &mut [f32]) {
        Fault::new("`alpha-zero` has values of states, and none of afterstates").raise();
    }

    fn estimates_actions(&self) -> bool {
        true
    }

    fn has_priors(&self) -> bool {
        true
    }

    fn evaluate_states(
        &self,
        game: &dyn Game,
        states: &[State],
        out: &mut [f32],
        values: &mut [f32],
    ) {
        let (mut buffers, mut successors, mut legal) =
            (Buffers::default(), Successors::new(), Vec::new());
        let outputs = self.outputs(states.iter().copied(), &mut buffers);
        let rows = out.chunks_exact_mut(self.actions());
        for (((state, output), row), value) in states.iter().zip(outputs).zip(rows).zip(values) {
            game.successors(*state, &mut successors);
            row.fill(0.0);
            *value = if successors.is_empty() { 0.0 } else { self.points(output) };
            legal.clear();
            priors(output, &successors, &mut legal);
            for (successor, prior) in successors.iter().zip(&legal) {
                row[successor.action.index()] = *prior;
            }
        }
    }
}
