//! Parameters that plugins declare.

use serde::{Deserialize, Serialize};

/// A parameter of a plugin, for help texts and for messages about specs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parameter {
    /// Name in a spec.
    pub name: String,
    /// Range or form of its values: `2 to 5`, `a probability`.
    pub allowed: String,
    /// Default value as RON text.
    pub default: String,
    /// Purpose, on one line.
    pub about: String,
}

impl Parameter {
    /// Returns a parameter with these fields.
    pub fn new(name: &str, allowed: &str, default: &str, about: &str) -> Self {
        let [name, allowed, default, about] = [name, allowed, default, about].map(str::to_owned);
        Self { name, allowed, default, about }
    }
}
