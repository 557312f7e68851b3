//! The interface and the options of update schemes.

use super::context::TrainingContext;
use super::trajectory::Trajectory;
use crate::rule::Rule;
use runner_core::BuildError;

/// A scheme that turns the steps of a game into updates.
pub trait UpdateScheme<R: Rule>: Send + Sync {
    /// Returns the number of last steps whose indices the trajectory must keep, at least 1.
    fn kept_steps(&self) -> usize;

    /// Handles a move to a position with this value; `reward` was earned since the previous
    /// step. The trajectory does not contain the new step yet.
    fn moved(
        &self,
        context: &TrainingContext<'_, R>,
        trajectory: &mut Trajectory,
        reward: f32,
        value: f32,
    );

    /// Handles the end of the game; `reward` was earned since the last step.
    fn ended(&self, context: &TrainingContext<'_, R>, trajectory: &mut Trajectory, reward: f32);

    /// Returns how many steps before the last one the step lies that the next move updates
    /// first. Its memory is prefetched. `None` means that all updates follow the game, which
    /// needs the whole [`path`](Trajectory::path).
    fn next_update(&self) -> Option<usize>;
}

/// Maximum horizon and maximum number of steps of n-step TD, in steps.
pub const MAX_HORIZON: usize = 64;

#[derive(Clone, Copy, Debug)]
pub struct UpdateOptions {
    /// Trace decay λ, 0 to below 1.
    pub lambda: f32,
    /// Number of earlier steps that an error updates, 0 to 64; `None` selects the
    /// [`default_horizon`].
    pub horizon: Option<usize>,
    /// Number n of steps of n-step TD, 1 to 64.
    pub steps: usize,
}

impl UpdateOptions {
    /// Returns an error if an option is out of range, whatever the scheme.
    pub fn check(&self) -> Result<(), BuildError> {
        if !(0.0..1.0).contains(&self.lambda) {
            let message = format!("{} is not in the range 0 to below 1", self.lambda);
            return Err(BuildError::of("lambda", message));
        }
        if self.horizon.is_some_and(|horizon| horizon > MAX_HORIZON) {
            let message = format!("the horizon must be 0 to {MAX_HORIZON} steps");
            return Err(BuildError::of("horizon", message));
        }
        if !(1..=MAX_HORIZON).contains(&self.steps) {
            let message = format!("the number of steps must be 1 to {MAX_HORIZON}");
            return Err(BuildError::of("steps", message));
        }
        Ok(())
    }

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

    /// Returns an error if λ is set for a scheme that has no trace.
    pub(super) fn refuse_lambda(&self, scheme: &str) -> Result<(), BuildError> {
        match self.lambda {
            0.0 => Ok(()),
            _ => Err(BuildError::of(
                "lambda",
                format!(
                    "`{scheme}` has no trace; use `forward`, `delayed` or `backward`, or `lambda: 0`"
                ),
            )),
        }
    }
}

/// Returns the least h with λ^(h+1) < 0.1, in steps: 3 for λ = 0.5, as in Jaśkowski (2018).
pub fn default_horizon(lambda: f32) -> usize {
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

    const PLAIN: UpdateOptions = UpdateOptions { lambda: 0.0, horizon: None, steps: 3 };

    #[test]
    fn default_horizon_is_the_least_that_leaves_less_than_a_tenth() {
        for (lambda, horizon) in
            [(0.0, 0), (0.05, 0), (0.25, 1), (0.5, 3), (0.75, 8), (0.9, 21), (0.965, 64)]
        {
            assert_eq!(default_horizon(lambda), horizon, "{lambda}");
        }
    }

    #[test]
    fn lambda_whose_default_horizon_exceeds_the_maximum_is_refused() {
        for lambda in [0.97, 0.99, 0.999_999_94] {
            let options = UpdateOptions { lambda, ..PLAIN };
            let error = options.horizon().unwrap_err();
            assert_eq!(error.parameter.as_deref(), Some("horizon"));
            assert!(error.message.contains("64"), "{error}");
            let options = UpdateOptions { horizon: Some(64), ..options };
            assert_eq!(options.horizon(), Ok(64));
        }
        assert_eq!(UpdateOptions { lambda: 0.965, ..PLAIN }.horizon(), Ok(64));
    }

    #[test]
    fn options_out_of_range_are_refused() {
        let parameter = |options: UpdateOptions| options.check().unwrap_err().parameter;
        for lambda in [1.0, -0.1, f32::NAN] {
            let refused = parameter(UpdateOptions { lambda, ..PLAIN });
            assert_eq!(refused.as_deref(), Some("lambda"));
        }
        let refused = parameter(UpdateOptions { horizon: Some(65), ..PLAIN });
        assert_eq!(refused.as_deref(), Some("horizon"));
        for steps in [0, 65] {
            let refused = parameter(UpdateOptions { steps, ..PLAIN });
            assert_eq!(refused.as_deref(), Some("steps"));
        }
        assert_eq!(PLAIN.check(), Ok(()));
    }
}
