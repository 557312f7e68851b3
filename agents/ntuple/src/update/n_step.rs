//! `n-step`: TD towards the return of n steps, Formula 4 of K.-H. Yeh and others, "Multi-stage
//! temporal difference learning for 2048-like games" (2017):
//!
//! ```text
//! V(s(t)) ← V(s(t)) + α (r(t+1) + ... + r(t+n) + V(s(t+n)) - V(s(t)))
//! ```

use super::context::TrainingContext;
use super::scheme::UpdateScheme;
use super::trajectory::Trajectory;
use crate::rule::Rule;

#[derive(Clone, Copy, Debug)]
pub struct NStep {
    /// Number n of steps, at least 1.
    pub steps: usize,
}

/// Updates the step `back` steps ago, whose note is its return without the value after it.
fn update<R: Rule>(
    context: &TrainingContext<'_, R>,
    trajectory: &Trajectory,
    back: usize,
    value: f32,
) {
    let indices = trajectory.indices(back);
    let error = trajectory.note(back) + value - context.known_value(indices);
    context.update(indices, error, 1.0);
}

impl<R: Rule> UpdateScheme<R> for NStep {
    fn kept_steps(&self) -> usize {
        self.steps
    }

    fn moved(
        &self,
        context: &TrainingContext<'_, R>,
        trajectory: &mut Trajectory,
        reward: f32,
        value: f32,
    ) {
        for back in 0..trajectory.kept() {
            trajectory.set_note(back, trajectory.note(back) + reward);
        }
        if trajectory.length() >= self.steps {
            update(context, trajectory, self.steps - 1, value);
        }
        trajectory.set_next_note(0.0);
    }

    fn ended(&self, context: &TrainingContext<'_, R>, trajectory: &mut Trajectory, reward: f32) {
        self.moved(context, trajectory, reward, 0.0);
        for back in (0..trajectory.length().min(self.steps - 1)).rev() {
            update(context, trajectory, back, 0.0);
        }
    }

    fn next_update(&self) -> Option<usize> {
        Some(self.steps - 1)
    }
}
