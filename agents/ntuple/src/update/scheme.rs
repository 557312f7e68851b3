//! The interface of update schemes.

use super::context::TrainingContext;
use super::trajectory::Trajectory;
use crate::rule::Rule;

/// A scheme that turns the steps of a game into updates. By default all updates follow the game.
pub trait UpdateScheme<R: Rule>: Send + Sync {
    /// Returns the number of last steps whose indices the trajectory must keep, at least 1.
    fn kept_steps(&self) -> usize {
        1
    }

    /// Handles a move to a position with this value; `reward` was earned since the previous
    /// step. The trajectory has a step, and not yet the new one.
    fn moved(
        &self,
        context: &TrainingContext<'_, R>,
        trajectory: &mut Trajectory,
        reward: f32,
        value: f32,
    ) {
        let _ = (context, trajectory, reward, value);
    }

    /// Handles the end of a game that has a step; `reward` was earned since the last one.
    fn ended(&self, context: &TrainingContext<'_, R>, trajectory: &mut Trajectory, reward: f32);

    /// Returns how many steps before the last one the step lies that the next move updates
    /// first. Its memory is prefetched. `None` means that all updates follow the game, which
    /// needs the whole [`path`](Trajectory::path).
    fn next_update(&self) -> Option<usize> {
        None
    }
}

/// Updates no weight, for games that are played with frozen weights.
#[derive(Clone, Copy, Debug)]
pub struct Frozen;

impl<R: Rule> UpdateScheme<R> for Frozen {
    fn ended(&self, _: &TrainingContext<'_, R>, _: &mut Trajectory, _: f32) {}

    fn next_update(&self) -> Option<usize> {
        // No step is as far back.
        Some(usize::MAX)
    }
}
