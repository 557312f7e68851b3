//! `backward`: after the game, from its last step to its first, each with the λ return of the steps
//! that were updated just before.
//!
//! K. Matsuzaki, "Developing a 2048 player with backward temporal coherence learning and restart"
//! (2017). With G the return of the next step, and V its value after its own update:
//!
//! ```text
//! G(t) = γ (r(t+1) + V(s(t+1)) + λ (G(t+1) - V(s(t+1))))
//! V(s(t)) ← V(s(t)) + α (G(t) - V(s(t)))
//! ```

use super::context::TrainingContext;
use super::scheme::UpdateScheme;
use super::trajectory::Trajectory;
use crate::rule::Rule;
use agent_ntuple_network::WeightIndex;

/// Updates after the game, last step first.
#[derive(Clone, Copy, Debug)]
pub struct Backward {
    /// Share λ of the return of the next step in a target, 0 to below 1; the rest is its value.
    pub lambda: f32,
}

const AHEAD: usize = 4;

impl<R: Rule> UpdateScheme<R> for Backward {
    fn ended(&self, context: &TrainingContext<'_, R>, trajectory: &mut Trajectory, reward: f32) {
        let n = context.lookup.per_position();
        let mut ring = vec![WeightIndex::default(); n * AHEAD];
        let slot = |k: usize| k % AHEAD * n..k % AHEAD * n + n;
        let path = &trajectory.path;
        for k in path.len().saturating_sub(AHEAD)..path.len() {
            context.find_for_update(&path[k], &mut ring[slot(k)]);
        }
        let mut target = context.discount * reward;
        for k in (0..path.len()).rev() {
            let indices = &ring[slot(k)];
            context.update(indices, target - context.known_value(indices), 1.0);
            let value = context.known_value(indices);
            target = path[k].reward + value + self.lambda * (target - value);
            target *= context.discount;
            if k >= AHEAD {
                context.find_for_update(&path[k - AHEAD], &mut ring[slot(k)]);
            }
        }
    }
}
