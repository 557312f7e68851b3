//! Values that are made of other values of any kind: [`Mean`], their mean, and [`Staged`], one for
//! each stage of a game.
#![forbid(unsafe_code)]

#[cfg(test)]
mod constants;
mod mean;
mod staged;

pub use mean::Mean;
pub use staged::Staged;

use runner_core::{BuildContext, BuildError, Spec, Value};
use std::sync::Arc;

const BATCH: usize = 256;

fn build(specs: &[Spec], context: &BuildContext<'_>) -> Result<Vec<Arc<dyn Value>>, BuildError> {
    let build =
        |spec: &Spec| context.host.value(spec).map_err(|error| BuildError::of("values", error));
    specs.iter().map(build).collect()
}
