//! The reasons why a plugin is not used or an object was not built.

use super::entry::{Kind, Registered};
use runner_core::{Preset, SpecError};

/// The reason why a name does not identify a plugin.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct NameError(pub(super) String);

impl NameError {
    /// Creates the error for a name that none of these is. `wanted` is the kind that was asked for.
    pub fn unknown(wanted: &str, name: &str, known: &[&str]) -> Self {
        let nearest = runner_spec::nearest(name, known.iter().copied());
        let nearest = nearest.map(|n| format!(" (did you mean `{n}`?)")).unwrap_or_default();
        let known = known.join(", ");
        Self(format!("there is no {wanted} `{name}`{nearest}; there are: {known}"))
    }
}

/// The reason why nothing was built from a spec.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SpecRefused {
    #[error(transparent)]
    Name(#[from] NameError),
    #[error("{kind} `{name}`: {error}")]
    Fields {
        kind: Kind,
        name: String,
        /// Description and place of the problem, with the allowed values.
        error: SpecError,
    },
    /// The plugin failed while it built the object.
    #[error("{0}; see `runner plugins doctor`")]
    Fault(String),
}

impl SpecRefused {
    pub(super) fn fields(plugin: &Registered, error: SpecError) -> Self {
        Self::Fields { kind: plugin.info.kind, name: plugin.info.name.clone(), error }
    }
}

/// Returns the error of a builder with the parameter `preset`, which the plugin does not know,
/// among its own ones.
pub fn with_preset(plugin: &Registered, mut error: SpecError) -> SpecError {
    let is_own = |name: &String| plugin.info.parameters.iter().any(|own| own.name == *name);
    let allowed = &mut error.allowed;
    if !plugin.info.presets.is_empty() && !allowed.is_empty() && allowed.iter().all(is_own) {
        allowed.insert(0, Preset::PARAMETER.to_owned());
    }
    error
}
