//! Update schemes: which steps of a game an error updates, and when.
//!
//! The [trainer](crate::trainer) calls [`UpdateScheme::moved`] and [`UpdateScheme::added`] for each
//! move, and [`UpdateScheme::ended`] after each game.

mod after;
mod context;
mod trajectory;

pub use context::TrainingContext;
pub use trajectory::{Step, Trajectory};

use crate::rule::Rule;
use runner_core::BuildError;

pub const NAMES: [&str; 5] = ["forward", "delayed", "n-step", "mean-return", "backward"];

/// Default number of steps of n-step TD.
pub const STEPS: usize = 3;

/// Maximum horizon, and maximum number of steps of n-step TD.
pub const MAX_STEPS: usize = 64;

/// Number of latest steps whose weights are still in the second-level cache. The weights of earlier
/// steps are prefetched before their update.
const CACHED_STEPS: usize = 8;

/// How the steps of a game become updates. The trace decay λ is 0 to below 1, and the horizon h is
/// the number of earlier steps that an error updates.
#[derive(Clone, Copy, Debug)]
pub enum UpdateScheme {
    /// Online TD(λ) with a horizon: every error updates the last steps at once.
    ///
    /// R. S. Sutton, "Learning to predict by the methods of temporal differences" (1988); Equation
    /// 4 and Algorithm 1 of W. Jaśkowski, "Mastering 2048 with delayed temporal coherence
    /// learning, multi-stage weight promotion, redundant encoding and carousel shaping" (2018).
    /// After each move t + 1, for k = t down to t - h:
    ///
    /// ```text
    /// δ(t) = r(t+1) + V(s(t+1)) - V(s(t))
    /// V(s(k)) ← V(s(k)) + α λ^(t-k) δ(t)
    /// ```
    ///
    /// The last error of a game is r - V(s(t)), where r is the reward of the last chance outcome,
    /// usually 0.
    Forward { lambda: f32, horizon: usize },
    /// Delayed TD(λ): one update per step, once all errors within the horizon are known. The cost
    /// does not depend on λ. Algorithms 3 and 4 of Jaśkowski (2018):
    ///
    /// ```text
    /// Δ(t-h) = Σ δ(t-h+k) λ^k over k = 0 to h
    /// V(s(t-h)) ← V(s(t-h)) + α Δ(t-h)
    /// ```
    ///
    /// At the end of the game the last h steps are updated with the sums of the errors that exist.
    Delayed { lambda: f32, horizon: usize },
    /// TD towards the return of n steps, Formula 4 of K.-H. Yeh and others, "Multi-stage temporal
    /// difference learning for 2048-like games" (2017):
    ///
    /// ```text
    /// V(s(t)) ← V(s(t)) + α (r(t+1) + ... + r(t+n) + V(s(t+n)) - V(s(t)))
    /// ```
    NStep { steps: usize },
    /// After the game, first step first, towards a mean of the next five returns, see
    /// `after::mean_return`.
    MeanReturn,
    /// After the game, last step first, towards the λ return, see `after::backward`.
    Backward { lambda: f32 },
    /// No update, for games that are played with frozen weights.
    Frozen,
}

impl UpdateScheme {
    pub fn new(name: &str, lambda: f32, steps: usize) -> Result<Self, BuildError> {
        if matches!(name, "n-step" | "mean-return") && lambda != 0.0 {
            let message = format!(
                "`{name}` has no trace; use `forward`, `delayed` or `backward`, or `lambda: 0`"
            );
            return Err(BuildError::of("lambda", message));
        }
        match name {
            "forward" => Ok(Self::Forward { lambda, horizon: horizon(lambda)? }),
            "delayed" => Ok(Self::Delayed { lambda, horizon: horizon(lambda)? }),
            "n-step" => Ok(Self::NStep { steps }),
            "mean-return" => Ok(Self::MeanReturn),
            "backward" => Ok(Self::Backward { lambda }),
            _ => {
                let message = format!("unknown: `{name}`; expected one of {}", NAMES.join(", "));
                Err(BuildError::of("update", message))
            }
        }
    }

    /// Returns the number of latest steps whose indices the trajectory must keep, at least 1.
    pub fn kept_steps(self) -> usize {
        match self {
            Self::Forward { horizon, .. } | Self::Delayed { horizon, .. } => horizon + 1,
            Self::NStep { steps } => steps,
            Self::MeanReturn | Self::Backward { .. } | Self::Frozen => 1,
        }
    }

    /// Returns true if an update needs no value but that of the last step. Then two threads may
    /// divide the weights of a position: each gets the value as `last_value` of
    /// [`moved`](Self::moved).
    pub fn needs_last_value_only(self) -> bool {
        matches!(self, Self::Forward { .. } | Self::Delayed { .. })
    }

    /// Handles a move to a position with the value `value`; `reward` was earned since the previous
    /// step. The trajectory has at least one step. The caller adds the new step afterwards.
    ///
    /// `last_value` is the current value of the last step if the context has only a part of the
    /// weights of a position. If it is `None`, the value is computed from the context.
    #[inline(always)]
    pub fn moved<R: Rule>(
        self,
        context: &TrainingContext<'_, R>,
        trajectory: &mut Trajectory,
        reward: f32,
        value: f32,
        last_value: Option<f32>,
    ) {
        match self {
            Self::Forward { lambda, .. } => {
                forward(context, trajectory, lambda, reward + value, last_value);
            }
            Self::Delayed { lambda, horizon } => {
                delayed(context, trajectory, lambda, horizon, reward + value, last_value);
            }
            Self::NStep { steps } => n_step(context, trajectory, steps, reward, value),
            Self::MeanReturn | Self::Backward { .. } | Self::Frozen => {}
        }
    }

    /// Handles a step that was added. It is kept if all steps are updated after the game. Otherwise
    /// the weights of the step that the next move updates are prefetched.
    #[inline(always)]
    pub fn added<R: Rule>(
        self,
        context: &TrainingContext<'_, R>,
        trajectory: &mut Trajectory,
        step: Step,
    ) {
        let next_update = match self {
            Self::Delayed { horizon, .. } => horizon,
            Self::NStep { steps } => steps - 1,
            Self::MeanReturn | Self::Backward { .. } => return trajectory.path.push(step),
            Self::Forward { .. } | Self::Frozen => return,
        };
        if next_update >= CACHED_STEPS && next_update < trajectory.kept() {
            context.prefetch(trajectory.indices(next_update));
        }
    }

    /// Handles the end of a game whose trajectory has at least one step; `reward` was earned since
    /// the last step. For `last_value` see [`moved`](Self::moved).
    pub fn ended<R: Rule>(
        self,
        context: &TrainingContext<'_, R>,
        trajectory: &mut Trajectory,
        reward: f32,
        last_value: Option<f32>,
    ) {
        // The value after the end is 0.
        self.moved(context, trajectory, reward, 0.0, last_value);
        match self {
            Self::Delayed { lambda, horizon } => {
                for back in (0..horizon.min(trajectory.length())).rev() {
                    update_delayed(context, trajectory, lambda, back);
                }
            }
            Self::NStep { steps } => {
                for back in (0..trajectory.length().min(steps - 1)).rev() {
                    update_n_step(context, trajectory, back, 0.0);
                }
            }
            Self::MeanReturn => after::mean_return(context, &trajectory.path, reward),
            Self::Backward { lambda } => {
                after::backward(context, &trajectory.path, lambda, reward);
            }
            Self::Forward { .. } | Self::Frozen => {}
        }
    }
}

// `forward`, `delayed` and `n_step` are not inlined, because the code of a move would otherwise
// contain all three.

/// Updates the kept steps by the error of the last step.
#[inline(never)]
fn forward<R: Rule>(
    context: &TrainingContext<'_, R>,
    trajectory: &Trajectory,
    lambda: f32,
    target: f32,
    last_value: Option<f32>,
) {
    let last_value = last_value.unwrap_or_else(|| context.known_value(trajectory.indices(0)));
    let error = target - last_value;
    context.update(trajectory.indices(0), error, 1.0);
    let mut factor = 1.0;
    for back in 1..trajectory.kept() {
        factor *= lambda;
        context.update(trajectory.indices(back), error, factor);
    }
}

/// Notes the error of the last step, and updates the step whose errors are now all known.
#[inline(never)]
fn delayed<R: Rule>(
    context: &TrainingContext<'_, R>,
    trajectory: &mut Trajectory,
    lambda: f32,
    horizon: usize,
    target: f32,
    last_value: Option<f32>,
) {
    let last_value = last_value.unwrap_or_else(|| context.known_value(trajectory.indices(0)));
    trajectory.set_note(0, target - last_value);
    if trajectory.length() > horizon {
        update_delayed(context, trajectory, lambda, horizon);
    }
}

/// Updates the step `back` steps before the last by Δ, the decayed sum of the errors from that
/// step to the last. The note of a step is its error δ.
fn update_delayed<R: Rule>(
    context: &TrainingContext<'_, R>,
    trajectory: &Trajectory,
    lambda: f32,
    back: usize,
) {
    // From the last step to the step itself, so that the later errors get the higher powers of λ.
    let sum = (0..=back).fold(0.0, |sum: f32, later| sum * lambda + trajectory.note(later));
    context.update(trajectory.indices(back), sum, 1.0);
}

/// Adds a reward to the returns of the last steps, and updates the step whose return now has all
/// rewards.
#[inline(never)]
fn n_step<R: Rule>(
    context: &TrainingContext<'_, R>,
    trajectory: &mut Trajectory,
    steps: usize,
    reward: f32,
    value: f32,
) {
    for back in 0..trajectory.kept() {
        trajectory.set_note(back, trajectory.note(back) + reward);
    }
    if trajectory.length() >= steps {
        update_n_step(context, trajectory, steps - 1, value);
    }
}

/// Updates the step `back` steps before the last towards its return, which ends with `value`. The
/// note of a step is the sum of the rewards since the step.
fn update_n_step<R: Rule>(
    context: &TrainingContext<'_, R>,
    trajectory: &Trajectory,
    back: usize,
    value: f32,
) {
    let indices = trajectory.indices(back);
    let error = trajectory.note(back) + value - context.known_value(indices);
    context.update(indices, error, 1.0);
}

/// Returns the number of earlier steps that an error updates: the least h with λ^(h+1) < 0.1. It is
/// 3 for λ = 0.5, as in Jaśkowski (2018).
fn horizon(lambda: f32) -> Result<usize, BuildError> {
    let lambda_f64 = f64::from(lambda);
    let mut power = lambda_f64;
    for horizon in 0..=MAX_STEPS {
        if power < 0.1 {
            return Ok(horizon);
        }
        power *= lambda_f64;
    }
    let message = format!(
        "with {lambda} an error updates more than the maximum of {MAX_STEPS} earlier steps; lower \
         `lambda`, or use `update: \"backward\"`"
    );
    Err(BuildError::of("lambda", message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn horizon_is_the_least_that_leaves_less_than_a_tenth() {
        for (lambda, expected) in
            [(0.0, 0), (0.05, 0), (0.25, 1), (0.5, 3), (0.75, 8), (0.9, 21), (0.965, 64)]
        {
            assert_eq!(horizon(lambda), Ok(expected), "{lambda}");
        }
        assert!(horizon(0.97).is_err());
    }
}
