//! Update schemes: which steps of a game an error updates, and when.
//!
//! To add one: a file here with its lines below.

mod backward;
mod context;
mod delayed;
mod forward;
mod mean_return;
mod n_step;
mod path;
mod scheme;
mod trajectory;

pub use backward::Backward;
pub use context::TrainingContext;
pub use delayed::Delayed;
pub use forward::Forward;
pub use mean_return::MeanReturn;
pub use n_step::NStep;
pub use scheme::{Frozen, UpdateScheme};
pub use trajectory::{Step, Trajectory};

use crate::rule::Rule;
use runner_core::BuildError;

/// Names of the schemes.
pub const NAMES: [&str; 5] = ["forward", "delayed", "n-step", "mean-return", "backward"];

/// Default number of steps of n-step TD.
pub const STEPS: usize = 3;

/// Maximum number of steps that a scheme keeps.
pub const MAX_STEPS: usize = 64;

/// Builds the scheme with this name, for a trace decay λ and a number of steps of n-step TD.
pub fn build<R: Rule>(
    name: &str,
    lambda: f32,
    steps: usize,
) -> Result<Box<dyn UpdateScheme<R>>, BuildError> {
    if matches!(name, "n-step" | "mean-return") && lambda != 0.0 {
        let message = format!(
            "`{name}` has no trace; use `forward`, `delayed` or `backward`, or `lambda: 0`"
        );
        return Err(BuildError::of("lambda", message));
    }
    Ok(match name {
        "forward" => Box::new(Forward { lambda, horizon: horizon(lambda)? }),
        "delayed" => Box::new(Delayed { lambda, horizon: horizon(lambda)? }),
        "n-step" => Box::new(NStep { steps }),
        "mean-return" => Box::new(MeanReturn),
        "backward" => Box::new(Backward { lambda }),
        _ => {
            let message = format!("unknown: `{name}`; expected one of {}", NAMES.join(", "));
            return Err(BuildError::of("update", message));
        }
    })
}

/// Returns the number of earlier steps that an error updates: the least h with λ^(h+1) < 0.1, which
/// is 3 for λ = 0.5, as in Jaśkowski (2018).
fn horizon(lambda: f32) -> Result<usize, BuildError> {
    let decay = f64::from(lambda);
    let mut weight = decay;
    for horizon in 0..=MAX_STEPS {
        if weight < 0.1 {
            return Ok(horizon);
        }
        weight *= decay;
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
    use crate::learners::Td;

    #[test]
    fn horizon_is_the_least_that_leaves_less_than_a_tenth() {
        for (lambda, expected) in
            [(0.0, 0), (0.05, 0), (0.25, 1), (0.5, 3), (0.75, 8), (0.9, 21), (0.965, 64)]
        {
            assert_eq!(horizon(lambda), Ok(expected), "{lambda}");
        }
        assert!(horizon(0.97).is_err());
    }

    #[test]
    fn every_update_scheme_is_built_by_its_name() {
        for (update, kept) in
            [("forward", 4), ("delayed", 4), ("n-step", 3), ("mean-return", 1), ("backward", 1)]
        {
            let lambda = if kept == 4 { 0.5 } else { 0.0 };
            assert_eq!(build::<Td>(update, lambda, STEPS).unwrap().kept_steps(), kept);
        }
    }
}
