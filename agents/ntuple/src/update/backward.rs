//! `backward`: after the game, from its last step to its first, each with the λ return of the steps
//! that were updated just before.
//!
//! K. Matsuzaki, "Developing a 2048 player with backward temporal coherence learning and restart"
//! (2017). With G the return of the next step, and V its value after its own update:
//!
//! ```text
//! G(t) = r(t+1) + V(s(t+1)) + λ (G(t+1) - V(s(t+1)))
//! V(s(t)) ← V(s(t)) + α (G(t) - V(s(t)))
//! ```

use super::context::TrainingContext;
use super::path::PathWindow;
use super::scheme::UpdateScheme;
use super::trajectory::Trajectory;
use crate::rule::Rule;

/// Updates after the game, last step first.
#[derive(Clone, Copy, Debug)]
pub struct Backward {
    /// Share λ of the return of the next step in a target, 0 to below 1; the rest is its value.
    pub lambda: f32,
}

const WINDOW: usize = 4;

impl<R: Rule> UpdateScheme<R> for Backward {
    fn ended(&self, context: &TrainingContext<'_, R>, trajectory: &mut Trajectory, reward: f32) {
        let path = &trajectory.path;
        let mut window = PathWindow::<R, WINDOW>::new(context, path);
        (path.len().saturating_sub(WINDOW)..path.len()).for_each(|k| window.find(k));
        let mut target = reward;
        for k in (0..path.len()).rev() {
            window.update(k, target);
            let value = window.value(k);
            target = path[k].reward + value + self.lambda * (target - value);
            if let Some(earlier) = k.checked_sub(WINDOW) {
                window.find(earlier);
            }
        }
    }
}
