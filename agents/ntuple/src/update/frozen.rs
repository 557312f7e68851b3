//! The update scheme that changes nothing, for games that are played with frozen weights.

use super::context::TrainingContext;
use super::scheme::UpdateScheme;
use super::trajectory::Trajectory;
use crate::rule::Rule;

/// Updates no weight.
#[derive(Clone, Copy, Debug)]
pub struct Frozen;

impl<R: Rule> UpdateScheme<R> for Frozen {
    fn kept_steps(&self) -> usize {
        1
    }

    fn moved(&self, _: &TrainingContext<'_, R>, _: &mut Trajectory, _: f32, _: f32) {}

    fn ended(&self, _: &TrainingContext<'_, R>, _: &mut Trajectory, _: f32) {}

    fn next_update(&self) -> Option<usize> {
        // No step is as far back.
        Some(usize::MAX)
    }
}
