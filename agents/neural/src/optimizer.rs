//! Steps of Adam with the gradient of a batch of positions, which is summed over the program's
//! threads.

use crate::network::{Activations, Network};
use crate::position_network::PositionNetwork;
use runner_core::{Fault, Host, State, locked, unpoisoned};
use std::ops::Range;
use std::sync::Mutex;

const BETA_1: f32 = 0.9;
const BETA_2: f32 = 0.999;
/// Keeps the divisor above 0.
const EPSILON: f32 = 1e-8;

/// The optimizer Adam (Kingma and Ba, 2015), with the constants of that paper.
#[derive(Clone, Debug, PartialEq)]
pub struct Adam {
    pub steps: u64,
    pub means: Vec<f32>,
    pub squares: Vec<f32>,
}

impl Adam {
    /// Creates the state before the first step for this number of parameters.
    pub fn new(parameters: usize) -> Self {
        Self { steps: 0, means: vec![0.0; parameters], squares: vec![0.0; parameters] }
    }

    /// Makes a step against a gradient. `decay` is the weight of the squared norm of the
    /// parameters in the loss.
    ///
    /// # Panics
    ///
    /// If the numbers of parameters differ.
    pub fn step(&mut self, parameters: &mut [f32], gradient: &[f32], rate: f32, decay: f32) {
        assert_eq!((parameters.len(), gradient.len()), (self.means.len(), self.means.len()));
        self.steps += 1;
        let unbiased = |beta: f32| 1.0 - f64::from(beta).powf(self.steps as f64) as f32;
        let (unbiased_1, unbiased_2) = (unbiased(BETA_1), unbiased(BETA_2));
        let moments = self.means.iter_mut().zip(&mut self.squares);
        for ((parameter, gradient), (mean, square)) in
            parameters.iter_mut().zip(gradient).zip(moments)
        {
            let gradient = gradient + 2.0 * decay * *parameter;
            *mean = BETA_1 * *mean + (1.0 - BETA_1) * gradient;
            *square = BETA_2 * *square + (1.0 - BETA_2) * gradient * gradient;
            let size = (*square / unbiased_2).sqrt() + EPSILON;
            *parameter -= rate * (*mean / unbiased_1) / size;
        }
    }
}

#[derive(Debug)]
pub struct Optimizer {
    pub adam: Adam,
    parts: Vec<Mutex<Part>>,
}

/// A step over a batch of samples.
#[derive(Clone, Copy)]
pub struct Step<'a> {
    pub samples: usize,
    pub state: &'a (dyn Fn(usize) -> State + Sync),
    /// Replaces the outputs for a sample by the gradient of its loss, and returns the parts of
    /// the loss.
    pub loss: &'a (dyn Fn(usize, &mut [f32]) -> [f64; 2] + Sync),
    pub rate: f32,
    /// Name of the parameter with the learning rate, for messages.
    pub parameter: &'static str,
    /// Weight of the squared norm of the parameters in the loss.
    pub decay: f32,
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
        step: Step<'_>,
        host: &dyn Host,
    ) -> Result<[f64; 2], Fault> {
        let Step { samples, state, loss, rate, parameter, decay } = step;
        if samples == 0 {
            return Ok([0.0; 2]);
        }
        let transposed = network.network.transposed(parameters);
        let task = |range: Range<usize>, part: &mut Part| {
            let Part { activations, gradient, losses, rows, numbers, errors } = part;
            let input = network.encode(range.clone().map(state), rows, numbers);
            errors.clear();
            errors.extend_from_slice(network.network.forward(parameters, input, activations));
            for (sample, row) in range.zip(errors.chunks_exact_mut(network.network.outputs())) {
                losses.iter_mut().zip(loss(sample, row)).for_each(|(sum, part)| *sum += part);
            }
            network.network.backward(&transposed, input, errors, activations, gradient);
        };
        let (gradient, losses) = sum(&mut self.parts, host, &network.network, samples, &task);
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

/// Maximum number of parts of a batch. It does not depend on the number of threads, and so
/// neither does the order of additions.
const PARTS: usize = 16;
/// Minimum number of samples of a part.
const LEAST: usize = 32;
/// Maximum number of samples of a forward pass.
const AT_ONCE: usize = 128;

/// The sum of gradients and losses over a part of a batch, with buffers.
#[derive(Debug, Default)]
pub struct Part {
    pub activations: Activations,
    pub gradient: Vec<f32>,
    pub losses: [f64; 2],
    pub rows: Vec<u16>,
    pub numbers: Vec<f32>,
    pub errors: Vec<f32>,
}

/// Returns the sum of the gradients of `samples` samples, and of their losses. `task` adds those
/// of a range of samples to a part; `parts` are kept from batch to batch for their buffers.
pub fn sum(
    parts: &mut Vec<Mutex<Part>>,
    host: &dyn Host,
    network: &Network,
    samples: usize,
    task: &(dyn Fn(Range<usize>, &mut Part) + Sync),
) -> (Vec<f32>, [f64; 2]) {
    let count = samples.div_ceil(LEAST).clamp(1, PARTS);
    parts.resize_with(count.max(parts.len()), Mutex::default);
    let parts = &mut parts[..count];
    host.for_each(count, &|number| {
        let part = &mut *locked(&parts[number]);
        part.gradient.clear();
        part.gradient.resize(network.parameters(), 0.0);
        part.losses = [0.0; 2];
        let end = (number + 1) * samples / count;
        let mut next = number * samples / count;
        while next < end {
            let range = next..end.min(next + AT_ONCE);
            next = range.end;
            task(range, part);
        }
    });
    let (mut sum, mut losses) = (vec![0.0; network.parameters()], [0.0; 2]);
    for part in parts {
        let part = unpoisoned(part.get_mut());
        sum.iter_mut().zip(&part.gradient).for_each(|(sum, x)| *sum += x);
        losses.iter_mut().zip(part.losses).for_each(|(sum, x)| *sum += x);
    }
    (sum, losses)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_step_has_the_size_of_the_rate_whatever_the_gradient() {
        for gradient in [1e-3, 1.0, -50.0_f32] {
            let (mut adam, mut parameters) = (Adam::new(1), [2.0]);
            adam.step(&mut parameters, &[gradient], 0.01, 0.0);
            let expected = 2.0 - 0.01 * gradient.signum();
            assert!((parameters[0] - expected).abs() < 1e-5, "{gradient}: {parameters:?}");
        }
    }

    #[test]
    fn a_quadratic_function_is_minimised() {
        let (mut adam, mut x) = (Adam::new(2), [5.0, -3.0]);
        for _ in 0..2000 {
            let gradient = [2.0 * (x[0] - 1.0), 20.0 * (x[1] - 2.0)];
            adam.step(&mut x, &gradient, 0.05, 0.0);
        }
        assert!((x[0] - 1.0).abs() < 1e-2 && (x[1] - 2.0).abs() < 1e-2, "{x:?}");
    }
}
