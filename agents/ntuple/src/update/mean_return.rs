//! `mean-return`: after the game, towards the λ return of five steps with λ = 0.5.
//!
//! Formula 6 of K.-H. Yeh and others, "Multi-stage temporal difference learning for 2048-like
//! games" (2017); R(n) is the return of n steps, Formula 4 (see `n-step`):
//!
//! ```text
//! 0.5 R(1) + 0.25 R(2) + 0.125 R(3) + 0.0625 R(4) + 0.0625 R(5)
//! ```

use super::context::TrainingContext;
use super::path::PathWindow;
use super::scheme::UpdateScheme;
use super::trajectory::Trajectory;
use crate::rule::Rule;

/// Updates after the game, first step first, with a weighted mean of the next five returns.
#[derive(Clone, Copy, Debug)]
pub struct MeanReturn;

const WEIGHTS: [f32; 5] = [0.5, 0.25, 0.125, 0.0625, 0.0625];

/// Number of steps in the window: the current one, the next five, and two that are being
/// prefetched.
const WINDOW: usize = 8;

impl<R: Rule> UpdateScheme<R> for MeanReturn {
    fn ended(
        &self,
        context: &TrainingContext<'_, R>,
        trajectory: &mut Trajectory,
        last_reward: f32,
    ) {
        let path = &trajectory.path;
        let mut window = PathWindow::<R, WINDOW>::new(context, path);
        (0..WINDOW - 1).for_each(|k| window.find(k));
        for k in 0..path.len() {
            window.find(k + WINDOW - 1);
            let (mut rewards, mut target) = (0.0, 0.0);
            for (later, weight) in (k + 1..).zip(WEIGHTS) {
                let Some(step) = path.get(later) else {
                    // The game ends here, so all longer returns are equal.
                    let rest: f32 = WEIGHTS[later - k - 1..].iter().sum();
                    target += rest * (rewards + last_reward);
                    break;
                };
                rewards += step.reward;
                target += weight * (rewards + window.value(later));
            }
            window.update(k, target);
        }
    }
}
