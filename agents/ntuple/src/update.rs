//! Update schemes: which steps of a game an error updates, and when.
//!
//! To add one: a file here with its lines below.

mod backward;
mod context;
mod delayed;
mod forward;
mod mean_return;
mod n_step;
mod scheme;
mod trajectory;

pub use backward::Backward;
pub use context::TrainingContext;
pub use delayed::Delayed;
pub use forward::Forward;
pub use mean_return::MeanReturn;
pub use n_step::NStep;
pub use scheme::{Frozen, MAX_HORIZON, UpdateOptions, UpdateScheme};
pub use trajectory::{Step, Trajectory};

use crate::rule::Rule;
use runner_core::BuildError;

/// Names of the schemes.
pub const NAMES: [&str; 5] = ["forward", "delayed", "n-step", "mean-return", "backward"];

/// Builds the scheme with this name.
pub fn build<R: Rule>(
    name: &str,
    options: &UpdateOptions,
) -> Result<Box<dyn UpdateScheme<R>>, BuildError> {
    let UpdateOptions { lambda, steps, .. } = *options;
    if matches!(name, "n-step" | "mean-return") && lambda != 0.0 {
        let message = format!(
            "`{name}` has no trace; use `forward`, `delayed` or `backward`, or `lambda: 0`"
        );
        return Err(BuildError::of("lambda", message));
    }
    Ok(match name {
        "forward" => Box::new(Forward { lambda, horizon: options.horizon()? }),
        "delayed" => Box::new(Delayed { lambda, horizon: options.horizon()? }),
        "n-step" => Box::new(NStep { steps }),
        "mean-return" => Box::new(MeanReturn),
        "backward" => Box::new(Backward { lambda }),
        _ => {
            let message = format!("unknown: `{name}`; expected one of {}", NAMES.join(", "));
            return Err(BuildError::of("update", message));
        }
    })
}
