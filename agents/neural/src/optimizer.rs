//! Steps of Adam with the gradient of a batch of positions.

use crate::adam::Adam;
use crate::gradient::{self, Part};
use crate::position_network::PositionNetwork;
use runner_core::{Fault, Host, State};
use std::ops::Range;
use std::sync::Mutex;

#[derive(Debug)]
pub struct Optimizer {
    pub adam: Adam,
    parts: Vec<Mutex<Part>>,
}

#[derive(Clone, Copy, Debug)]
pub struct StepSize {
    pub rate: f32,
    /// Name of the parameter with the learning rate, for messages.
    pub parameter: &'static str,
    /// Weight of the squared norm of the parameters in the loss.
    pub decay: f32,
}

#[derive(Clone, Copy)]
pub struct Batch<'a> {
    pub samples: usize,
    pub state: &'a (dyn Fn(usize) -> State + Sync),
    /// Replaces the outputs for a sample by the gradient of its loss, and returns the parts of
    /// the loss.
    pub loss: &'a (dyn Fn(usize, &mut [f32]) -> [f64; 2] + Sync),
}

impl Optimizer {
    pub fn new(adam: Adam) -> Self {
        Self { adam, parts: Vec::new() }
    }

    /// Makes a step against the sum of the gradients of a batch, and returns the sums of the
    /// parts of the loss. An empty batch changes nothing.
    ///
    /// # Errors
    ///
    /// If the loss or the gradient is not finite.
    pub fn step(
        &mut self,
        network: &PositionNetwork,
        parameters: &mut [f32],
        batch: Batch<'_>,
        StepSize { rate, parameter, decay }: StepSize,
        host: &dyn Host,
    ) -> Result<[f64; 2], Fault> {
        if batch.samples == 0 {
            return Ok([0.0; 2]);
        }
        let transposed = network.network.transposed(parameters);
        let task = |range: Range<usize>, part: &mut Part| {
            let Part { activations, gradient, losses, rows, numbers, errors } = part;
            let input = network.encode(range.clone().map(batch.state), rows, numbers);
            errors.clear();
            errors.extend_from_slice(network.network.forward(parameters, input, activations));
            for (sample, row) in range.zip(errors.chunks_exact_mut(network.network.outputs())) {
                let loss = (batch.loss)(sample, row);
                losses.iter_mut().zip(loss).for_each(|(sum, loss)| *sum += loss);
            }
            network.network.backward(&transposed, input, errors, activations, gradient);
        };
        let (parts, samples) = (&mut self.parts, batch.samples);
        let (gradient, losses) = gradient::sum(parts, host, &network.network, samples, &task);
        if losses.iter().any(|x| !x.is_finite()) || gradient.iter().any(|x| !x.is_finite()) {
            return Err(Fault::new(format!(
                "the training has diverged: its loss is no finite number; a smaller \
                 `{parameter}` may help"
            )));
        }
        self.adam.step(parameters, &gradient, rate, decay);
        Ok(losses)
    }
}
