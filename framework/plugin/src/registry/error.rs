//! The reasons why a plugin is not used or an object was not built.

use super::entry::{Kind, Registered};
use runner_core::{Preset, SpecError};

/// The reason why a name does not identify a plugin.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NameError {
    #[error("there is no {wanted} `{name}`{}; there are: {}", suggestion(nearest), known.join(", "))]
    Unknown {
        /// The kind that was asked for.
        wanted: String,
        name: String,
        nearest: Option<String>,
        /// All names of this kind.
        known: Vec<String>,
    },
    #[error("{0}")]
    Ambiguous(String),
}

fn suggestion(nearest: &Option<String>) -> String {
    nearest.as_ref().map(|n| format!(" (did you mean `{n}`?)")).unwrap_or_default()
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
        let name = plugin.identity.name.clone();
        Self::Fields { kind: plugin.builder.kind(), name, error }
    }
}

/// Returns the error of a builder with the parameter `preset`, which the plugin does not know,
/// among its own ones.
pub fn with_preset(plugin: &Registered, mut error: SpecError) -> SpecError {
    let identity = &plugin.identity;
    let is_own = |name: &String| identity.parameters.iter().any(|own| own.name == *name);
    let allowed = &mut error.allowed;
    if !identity.presets.is_empty() && !allowed.is_empty() && allowed.iter().all(is_own) {
        allowed.insert(0, Preset::PARAMETER.to_owned());
    }
    error
}
