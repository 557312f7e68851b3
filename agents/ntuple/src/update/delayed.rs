//! `delayed`: delayed TD(λ). One update per step, once all errors within the horizon are
//! known. The cost does not depend on λ.
//!
//! Algorithms 3 and 4 of W. Jaśkowski, "Mastering 2048 with delayed temporal coherence learning,
//! multi-stage weight promotion, redundant encoding and carousel shaping" (2018):
//!
//! ```text
//! δ(t) = r(t+1) + V(s(t+1)) - V(s(t))
//! Δ(t-h) = Σ δ(t-h+k) λ^k over k = 0 to h
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
    /// Updates the step `back` steps ago by the decayed sum of the errors that are known for it.
    fn update<R: Rule>(
        &self,
        context: &TrainingContext<'_, R>,
        trajectory: &Trajectory,
        back: usize,
    ) {
        let add = |sum: f32, later| sum * self.lambda + trajectory.note(later);
        let sum = (0..=back).fold(0.0, add);
        context.update(trajectory.indices(back), sum, 1.0);
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
        // The note of a step is its error.
        let error = reward + value - context.known_value(trajectory.indices(0));
        trajectory.set_note(0, error);
        if trajectory.length() > self.horizon {
            self.update(context, trajectory, self.horizon);
        }
    }

    fn ended(&self, context: &TrainingContext<'_, R>, trajectory: &mut Trajectory, reward: f32) {
        self.moved(context, trajectory, reward, 0.0);
        for back in (0..self.horizon.min(trajectory.length())).rev() {
            self.update(context, trajectory, back);
        }
    }

    fn next_update(&self) -> Option<usize> {
        Some(self.horizon)
    }
}
