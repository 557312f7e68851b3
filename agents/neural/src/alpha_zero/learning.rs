//! Steps of the optimizer over samples of the replay.

use super::SelfPlay;
use super::config::BATCH;
use super::replay::Sample;
use super::training::Cycles;
use crate::{Step, Training};
use runner_board::SymmetryGroup;
use runner_core::{Fault, MAX_ACTIONS, Random, Seed, State, TrainingSession};

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

impl SelfPlay {
    /// Makes a step with random samples of the replay, which must not be empty, each in a random
    /// symmetry of the board.
    pub(super) fn learn(
        &self,
        training: &mut Training<Self>,
        session: &TrainingSession<'_>,
    ) -> Result<(), Fault> {
        let Training { optimizer, state: Cycles { new, replay, losses, .. }, .. } = training;
        // A stream that no game draws from.
        let mut random = Random::stream(Seed(!session.seed.0), optimizer.adam.steps);
        let symmetry_count = self.symmetries.count().max(1) as u32;
        let draw = |_| {
            let place = random.below(replay.len() as u32) as usize;
            (replay.get(place), random.below(symmetry_count) as usize)
        };
        let drawn: Vec<(&Sample, usize)> = (0..BATCH).map(draw).collect();
        let scale = 1.0 / BATCH as f32;
        let average = new.average.max(f64::MIN_POSITIVE) as f32;
        let state = |k: usize| image(&self.symmetries, drawn[k].0.state, drawn[k].1);
        let loss = |k: usize, row: &mut [f32]| {
            let (sample, symmetry) = drawn[k];
            let (value, logits) = row.split_last_mut().expect("the value is an output");
            let mut policy = [0.0; MAX_ACTIONS];
            let actions = self.network.board().symmetries.get(symmetry);
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
        let step = Step {
            samples: BATCH,
            state: &state,
            loss: &loss,
            rate: self.config.learning_rate,
            parameter: "learning_rate",
            decay: DECAY,
        };
        let sums = optimizer.step(&self.network, &mut new.parameters, step, session.host)?;
        let [policy, value] = sums.map(|loss| loss / BATCH as f64);
        *losses = Losses { policy, value };
        Ok(())
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
