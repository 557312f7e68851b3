//! `delayed`: delayed TD(λ). One update per step, once all errors within the horizon are
//! known. The cost does not depend on λ.
//!
//! Algorithms 3 and 4 of W. Jaśkowski, "Mastering 2048 with delayed temporal coherence learning,
//! multi-stage weight promotion, redundant encoding and carousel shaping" (2018):
//!
//! ```text
//! δ(t) = γ (r(t+1) + V(s(t+1))) - V(s(t))
//! Δ(t-h) = Σ δ(t-h+k) (γλ)^k over k = 0 to h
//! V(s(t-h)) ← V(s(t-h)) + α Δ(t-h)
//! ```
//!
//! At the end of the game the last h steps are updated with the sums of the errors that exist.

use super::context::TrainingContext;
use super::scheme::UpdateScheme;
use super::trajectory::Trajectory;
use crate::rule::Rule;

#[derive(Clone, Copy, Debug)]
pub struct Delayed {
    /// Trace decay λ, 0 to below 1.
    pub lambda: f32,
    pub horizon: usize,
}

impl Delayed {
    /// Returns the decayed sum of the errors that are known for the step `back` steps ago.
    fn sum(&self, discount: f32, trajectory: &Trajectory, back: usize) -> f32 {
        let decay = discount * self.lambda;
        (0..=back).fold(0.0, |sum, later| sum * decay + trajectory.note(later))
    }

    /// Notes the error of the last step and updates the oldest.
    fn add_error<R: Rule>(
        &self,
        context: &TrainingContext<'_, R>,
        trajectory: &mut Trajectory,
        later: f32,
    ) {
        let error = context.discount * later - context.known_value(trajectory.indices(0));
        trajectory.set_note(0, error);
        if trajectory.length() > self.horizon {
            let sum = self.sum(context.discount, trajectory, self.horizon);
            context.update(trajectory.indices(self.horizon), sum, 1.0);
        }
    }
}

impl<R: Rule> UpdateScheme<R> for Delayed {
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
        if trajectory.length() > 0 {
            self.add_error(context, trajectory, reward + value);
        }
    }

    fn ended(&self, context: &TrainingContext<'_, R>, trajectory: &mut Trajectory, reward: f32) {
        if trajectory.length() == 0 {
            return;
        }
        self.add_error(context, trajectory, reward);
        for back in (0..self.horizon.min(trajectory.length())).rev() {
            let sum = self.sum(context.discount, trajectory, back);
            context.update(trajectory.indices(back), sum, 1.0);
        }
    }

    fn next_update(&self) -> Option<usize> {
        Some(self.horizon)
    }
}
