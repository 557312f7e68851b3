//! Steps of the optimizer over samples of the replay.

use super::config::{AlphaZeroConfig, BATCH};
use super::estimator::Weights;
use super::replay::{Replay, Sample};
use crate::{Batch, Optimizer, PositionNetwork, StepSize};
use runner_board::SymmetryGroup;
use runner_core::geometry::Geometry;
use runner_core::{Fault, Host, MAX_ACTIONS, Random, State};

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
pub struct Sampler {
    board: Geometry,
    symmetries: SymmetryGroup,
}

impl Sampler {
    pub fn new(board: &Geometry) -> Self {
        Self { board: board.clone(), symmetries: SymmetryGroup::new(board) }
    }

    /// Makes a step with samples that `random` draws. The replay must not be empty.
    pub fn step(
        &self,
        network: &PositionNetwork,
        (optimizer, weights): (&mut Optimizer, &mut Weights),
        replay: &Replay,
        config: &AlphaZeroConfig,
        random: &mut Random,
        host: &dyn Host,
    ) -> Result<Losses, Fault> {
        let symmetries = &self.symmetries;
        let count = symmetries.count().max(1) as u32;
        let draw = |_| {
            let place = random.below(replay.len() as u32) as usize;
            (replay.get(place), random.below(count) as usize)
        };
        let drawn: Vec<(&Sample, usize)> = (0..BATCH).map(draw).collect();
        let scale = 1.0 / BATCH as f32;
        let average = weights.average.max(f64::MIN_POSITIVE) as f32;
        let state = |k: usize| image(symmetries, drawn[k].0.state, drawn[k].1);
        let loss = |k: usize, row: &mut [f32]| {
            let (sample, symmetry) = drawn[k];
            let (value, logits) = row.split_last_mut().expect("the value is an output");
            let mut policy = [0.0; MAX_ACTIONS];
            let actions = self.board.symmetries.get(symmetry);
            for (action, share) in sample.policy.iter().enumerate() {
                let image = actions.and_then(|symmetry| symmetry.actions.get(action));
                policy[image.map_or(action, |action| action.index())] = *share;
            }
            let entropy = cross_entropy(logits, &policy[..logits.len()]);
            let off = *value - sample.target / average;
            *value = 2.0 * off;
            row.iter_mut().for_each(|error| *error *= scale);
            [entropy, f64::from(off * off)]
        };
        let batch = Batch { samples: BATCH, state: &state, loss: &loss };
        let (rate, parameter) = (config.learning_rate, "learning_rate");
        let size = StepSize { rate, parameter, decay: DECAY };
        let losses = optimizer.step(network, &mut weights.parameters, batch, size, host)?;
        let [policy, value] = losses.map(|loss| loss / BATCH as f64);
        Ok(Losses { policy, value })
    }
}

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
