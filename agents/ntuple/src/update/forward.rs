//! `forward`: online TD(λ) with a horizon. Every error updates the last steps at once.
//!
//! R. S. Sutton, "Learning to predict by the methods of temporal differences" (1988); Equation 4 and
//! Algorithm 1 of W. Jaśkowski, "Mastering 2048 with delayed temporal coherence learning,
//! multi-stage weight promotion, redundant encoding and carousel shaping" (2018).
//! After each move t + 1, for k = t down to t - h:
//!
//! ```text
//! δ(t) = r(t+1) + V(s(t+1)) - V(s(t))
//! V(s(k)) ← V(s(k)) + α λ^(t-k) δ(t)
//! ```
//!
//! The last error of a game is -V(s(t)), or what chance still adds.

use super::context::TrainingContext;
use super::scheme::UpdateScheme;
use super::trajectory::Trajectory;
use crate::rule::Rule;

#[derive(Clone, Copy, Debug)]
pub struct Forward {
    /// Trace decay λ, 0 to below 1.
    pub lambda: f32,
    /// Number of earlier steps that an error updates.
    pub horizon: usize,
}

impl<R: Rule> UpdateScheme<R> for Forward {
    fn kept_steps(&self) -> usize {
        self.horizon + 1
    }

    fn moved(
        &self,
        context: &TrainingContext<'_, R>,
        trajectory: &mut Trajectory,
        reward: f32,
        value: f32,
    ) {
        let error = reward + value - context.known_value(trajectory.indices(0));
        context.update(trajectory.indices(0), error, 1.0);
        let mut factor = 1.0;
        for back in 1..trajectory.kept().min(self.horizon + 1) {
            factor *= self.lambda;
            context.update(trajectory.indices(back), error, factor);
        }
    }

    fn ended(&self, context: &TrainingContext<'_, R>, trajectory: &mut Trajectory, reward: f32) {
        self.moved(context, trajectory, reward, 0.0);
    }

    fn next_update(&self) -> Option<usize> {
        Some(0)
    }
}
