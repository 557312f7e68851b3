//! `mean-return`: after the game, towards the λ return of five steps with λ = 0.5.
//!
//! Formula 6 of K.-H. Yeh and others, "Multi-stage temporal difference learning for 2048-like
//! games" (2017); R(n) is the return of n steps, Formula 4 (see `n-step`):
//!
//! ```text
//! 0.5 R(1) + 0.25 R(2) + 0.125 R(3) + 0.0625 R(4) + 0.0625 R(5)
//! ```

use super::context::TrainingContext;
use super::scheme::UpdateScheme;
use super::trajectory::{Step, Trajectory};
use crate::rule::Rule;
use agent_ntuple_network::WeightIndex;

/// Updates after the game, first step first, with a weighted mean of the next five returns.
#[derive(Clone, Copy, Debug)]
pub struct MeanReturn;

const WEIGHTS: [f32; 5] = [0.5, 0.25, 0.125, 0.0625, 0.0625];

/// Number of steps whose indices are kept: the current one, the next five, and two that are
/// being prefetched.
const RING: usize = 8;

impl<R: Rule> UpdateScheme<R> for MeanReturn {
    fn ended(
        &self,
        context: &TrainingContext<'_, R>,
        trajectory: &mut Trajectory,
        last_reward: f32,
    ) {
        let path = &trajectory.path;
        let n = context.lookup.per_position();
        let mut ring = vec![WeightIndex::default(); n * RING];
        let slot = |k: usize| k % RING * n..k % RING * n + n;
        for (k, step) in path.iter().enumerate().take(RING - 1) {
            context.find_for_update(step, &mut ring[slot(k)]);
        }
        for k in 0..path.len() {
            if let Some(step) = path.get(k + RING - 1) {
                context.find_for_update(step, &mut ring[slot(k + RING - 1)]);
            }
            let mut rewards = 0.0;
            let mut target = 0.0;
            let mut discount = 1.0;
            for (steps, weight) in WEIGHTS.into_iter().enumerate() {
                discount *= context.discount;
                match path.get(k + steps + 1) {
                    Some(&Step { reward, .. }) => {
                        rewards += discount * reward;
                        let value = context.known_value(&ring[slot(k + steps + 1)]);
                        target += weight * (rewards + discount * value);
                    }
                    None => {
                        // The game ends here, so all longer returns are equal.
                        let rest: f32 = WEIGHTS[steps..].iter().sum();
                        target += rest * (rewards + discount * last_reward);
                        break;
                    }
                }
            }
            let indices = &ring[slot(k)];
            context.update(indices, target - context.known_value(indices), 1.0);
        }
    }
}
