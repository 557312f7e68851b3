//! What a plugin says about one of its parameters.

use serde::{Deserialize, Serialize};

/// A parameter of a plugin, for help and for the messages about wrong specs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parameter {
    /// Its name in a spec.
    pub name: String,
    /// What may be written for it: `2 to 5`, `a probability`.
    pub allowed: String,
    /// Its default, as it would be written.
    pub default: String,
    /// What it does, in one line.
    pub about: String,
}

impl Parameter {
    /// A parameter with its name, what is allowed, the default, and what it does.
    pub fn new(name: &str, allowed: &str, default: &str, about: &str) -> Self {
        let [name, allowed, default, about] = [name, allowed, default, about].map(str::to_owned);
        Self { name, allowed, default, about }
    }
}
