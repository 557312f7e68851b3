//! Update schemes: which steps of a game an error updates, and when.
//!
//! To add one: a file here with its lines below.

mod backward;
mod context;
mod delayed;
mod forward;
mod frozen;
mod mean_return;
mod n_step;
mod scheme;
mod trajectory;

pub use backward::Backward;
pub use context::TrainingContext;
pub use delayed::Delayed;
pub use forward::Forward;
pub use frozen::Frozen;
pub use mean_return::MeanReturn;
pub use n_step::NStep;
pub use scheme::{MAX_HORIZON, UpdateOptions, UpdateScheme, default_horizon};
pub use trajectory::{Step, Trajectory};

use crate::rule::Rule;
use runner_core::BuildError;

/// Defines the list of schemes: their names, and how they are built by name.
macro_rules! schemes {
    ($($name:literal => $scheme:ident,)*) => {
        /// Names of the schemes.
        pub const NAMES: &[&str] = &[$($name),*];

        /// Builds the scheme with this name.
        pub fn build<R: Rule>(
            name: &str,
            options: &UpdateOptions,
        ) -> Result<Box<dyn UpdateScheme<R>>, BuildError> {
            match name {
                $($name => $scheme::build(options),)*
                _ => {
                    let message = format!("unknown: `{name}`; expected one of {}", NAMES.join(", "));
                    Err(BuildError::of("update", message))
                }
            }
        }
    };
}

schemes! {
    "forward" => Forward,
    "delayed" => Delayed,
    "n-step" => NStep,
    "mean-return" => MeanReturn,
    "backward" => Backward,
}
