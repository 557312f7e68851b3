//! Steps of the optimizer over samples of the replay.

use crate::config::Options;
use crate::estimator::{Architecture, Weights};
use crate::replay::{Replay, Sample};
use agent_neural::gradient::{GradientSum, Part};
use agent_neural::{Adam, Input};
use runner_core::board::SymmetryGroup;
use runner_core::{Fault, Host, Random, State};
use std::ops::Range;

/// Weight of the squared norm of the parameters in the loss.
const DECAY: f32 = 1e-5;

/// The losses of a step, means over its samples.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Losses {
    /// Cross entropy of the policy, in nats.
    pub policy: f64,
    /// Squared error of the value, a ratio to the average result.
    pub value: f64,
}

/// Trains a network with random samples of the replay, each in a random symmetry of the board.
#[derive(Debug)]
pub struct Optimizer {
    /// The optimizer's state.
    pub adam: Adam,
    symmetries: SymmetryGroup,
    sum: GradientSum,
}

impl Optimizer {
    /// Creates the optimizer of a network.
    pub fn new(architecture: &Architecture, adam: Adam) -> Self {
        let symmetries = SymmetryGroup::new(architecture.encoder.geometry());
        Self { adam, symmetries, sum: GradientSum::default() }
    }

    /// Makes a step with samples that `random` draws. The replay must not be empty.
    pub fn step(
        &mut self,
        architecture: &Architecture,
        weights: &mut Weights,
        replay: &Replay,
        options: &Options,
        random: &mut Random,
        host: &dyn Host,
    ) -> Result<Losses, Fault> {
        let Architecture { network, encoder, actions, .. } = architecture;
        let symmetries = &self.symmetries;
        let count = symmetries.count().max(1) as u32;
        let draw = |_| {
            let place = random.below(replay.len() as u32) as usize;
            (replay.get(place), random.below(count) as usize)
        };
        let drawn: Vec<(&Sample, usize)> = (0..options.batch).map(draw).collect();
        let scale = 1.0 / options.batch as f32;
        let average = weights.average.max(f64::MIN_POSITIVE) as f32;
        let parameters = &weights.parameters;
        let task = |range: Range<usize>, part: &mut Part| {
            let Part { activations, gradient, losses, rows, errors, .. } = part;
            rows.clear();
            for (sample, symmetry) in &drawn[range.clone()] {
                let image = image(symmetries, sample.state, *symmetry);
                encoder.encode(image.bits(), rows);
            }
            let input = Input::Rows(rows);
            errors.clear();
            errors.extend_from_slice(network.forward(parameters, input, activations));
            let mut policy = vec![0.0; *actions];
            for ((sample, symmetry), row) in
                drawn[range].iter().zip(errors.chunks_exact_mut(actions + 1))
            {
                let board = encoder.geometry();
                for (action, share) in sample.policy.iter().enumerate() {
                    let image = board.symmetries.get(*symmetry).and_then(|s| s.actions.get(action));
                    policy[image.map_or(action, |action| action.index())] = *share;
                }
                let (logits, value) = row.split_at_mut(*actions);
                losses[0] += cross_entropy(logits, &policy);
                let off = value[0] - sample.target / average;
                losses[1] += f64::from(off * off);
                value[0] = 2.0 * off;
                row.iter_mut().for_each(|error| *error *= scale);
            }
            network.backward(parameters, input, errors, activations, gradient);
        };
        let (gradient, [policy, value]) = self.sum.compute(host, network, options.batch, &task);
        if !(policy + value).is_finite() || gradient.iter().any(|x| !x.is_finite()) {
            return Err(Fault::new(
                "the training has diverged: its loss is no finite number; a smaller \
                 `learning_rate` may help",
            ));
        }
        self.adam.step(&mut weights.parameters, &gradient, options.learning_rate, DECAY);
        let count = options.batch as f64;
        Ok(Losses { policy: policy / count, value: value / count })
    }
}

/// Returns the image of a state under a symmetry.
fn image(symmetries: &SymmetryGroup, state: State, symmetry: usize) -> State {
    match symmetry {
        0 => state,
        _ => State::from_bits(symmetries.transform(state.bits(), symmetry)),
    }
}

/// Returns the cross entropy of a distribution and the softmax of logits, which are replaced by
/// its gradient.
fn cross_entropy(logits: &mut [f32], policy: &[f32]) -> f64 {
    let most = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let sum: f32 = logits.iter().map(|x| (x - most).exp()).sum();
    let log_sum = sum.ln() + most;
    let mut entropy = 0.0;
    for (logit, share) in logits.iter_mut().zip(policy) {
        let log = *logit - log_sum;
        entropy -= f64::from(share * log);
        *logit = log.exp() - share;
    }
    entropy
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gradient_of_the_cross_entropy_equals_finite_differences() {
        let (logits, policy) = ([0.2, -1.0, 0.7], [0.5, 0.1, 0.4]);
        let mut gradient = logits;
        let loss = cross_entropy(&mut gradient, &policy);
        assert!(loss > 0.0);
        for k in 0..3 {
            let shifted = |by: f32| {
                let mut logits = logits;
                logits[k] += by;
                cross_entropy(&mut logits, &policy)
            };
            let slope = (shifted(1e-2) - shifted(-1e-2)) / 2e-2;
            assert!((slope - f64::from(gradient[k])).abs() < 1e-3);
        }
        // It is least where the softmax equals the distribution.
        let mut equal = policy.map(f32::ln);
        let least = cross_entropy(&mut equal, &policy);
        assert!(least < loss && equal.iter().all(|g| g.abs() < 1e-6));
    }
}
