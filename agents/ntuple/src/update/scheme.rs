//! The interface and the options of update schemes.

use super::context::TrainingContext;
use super::trajectory::Trajectory;
use crate::rule::Rule;
use runner_core::BuildError;

/// A scheme that turns the steps of a game into updates. By default all updates follow the game.
pub trait UpdateScheme<R: Rule>: Send + Sync {
    /// Returns the number of last steps whose indices the trajectory must keep, at least 1.
    fn kept_steps(&self) -> usize {
        1
    }

    /// Handles a move to a position with this value; `reward` was earned since the previous
    /// step. The trajectory does not contain the new step yet.
    fn moved(
        &self,
        context: &TrainingContext<'_, R>,
        trajectory: &mut Trajectory,
        reward: f32,
        value: f32,
    ) {
        let _ = (context, trajectory, reward, value);
    }

    /// Handles the end of the game; `reward` was earned since the last step.
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

/// Maximum horizon and maximum number of steps of n-step TD, in steps.
pub const MAX_HORIZON: usize = 64;

#[derive(Clone, Copy, Debug)]
pub struct UpdateOptions {
    /// Trace decay λ, 0 to below 1.
    pub lambda: f32,
    /// Number of earlier steps that an error updates, 0 to 64; `None` selects the least at which
    /// less than a tenth of the error is left.
    pub horizon: Option<usize>,
    /// Number n of steps of n-step TD, 1 to 64.
    pub steps: usize,
}

impl UpdateOptions {
    /// Returns the horizon, or an error if λ asks for a longer one than the maximum.
    pub(super) fn horizon(&self) -> Result<usize, BuildError> {
        let horizon = self.horizon.unwrap_or_else(|| default_horizon(self.lambda));
        match horizon <= MAX_HORIZON {
            true => Ok(horizon),
            false => Err(BuildError::of(
                "horizon",
                format!(
                    "the default horizon for lambda {} is {horizon} steps, above the maximum of \
                     {MAX_HORIZON}; set `horizon` to drop the errors of later steps, or lower \
                     `lambda`",
                    self.lambda
                ),
            )),
        }
    }
}

/// Returns the least h with λ^(h+1) < 0.1, in steps: 3 for λ = 0.5, as in Jaśkowski (2018).
fn default_horizon(lambda: f32) -> usize {
    let lambda = f64::from(lambda);
    let mut horizon = 0;
    let mut weight = lambda;
    // The bound only matters next to λ = 1, far above the maximum horizon.
    while weight >= 0.1 && horizon < 1_000_000 {
        weight *= lambda;
        horizon += 1;
    }
    horizon
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_horizon_is_the_least_that_leaves_less_than_a_tenth() {
        for (lambda, horizon) in
            [(0.0, 0), (0.05, 0), (0.25, 1), (0.5, 3), (0.75, 8), (0.9, 21), (0.965, 64)]
        {
            assert_eq!(default_horizon(lambda), horizon, "{lambda}");
        }
    }
}
