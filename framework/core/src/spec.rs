//! How a game, value or agent is named: `threes`, `2048(rows: 3, cols: 4)`.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A name, or a name with RON fields, as the user wrote it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Spec(String);

/// Why the text of a spec was refused.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{message}")]
pub struct SpecError {
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
