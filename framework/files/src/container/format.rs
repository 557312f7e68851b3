//! Constants, header and blocks of the container format.

use serde::{Deserialize, Serialize};
use std::fmt;

pub const MAGIC: [u8; 8] = *b"\x93RUNBOX\n";

pub const FORMAT: u32 = 1;

/// Bytes of a section that share a checksum.
pub const BLOCK: usize = 1 << 20;

pub const MAX_HEADER: usize = 1 << 20;

/// The description at the start of a file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// Kind of the file: `model`, `exact table`.
    pub kind: String,
    /// Resolved spec of the game, defaults included.
    pub game: String,
    /// Resolved spec of the plugin that reads the file, defaults included.
    pub spec: String,
    /// Further properties, as text or RON: `("moves", "141000000")`.
    pub facts: Vec<(String, String)>,
    pub sections: Vec<Section>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Section {
    pub name: String,
    /// Length in bytes.
    pub bytes: u64,
}

impl Header {
    pub fn fact(&self, name: &str) -> Option<&str> {
        self.facts.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    #[must_use]
    pub fn section(mut self, name: &str, bytes: u64) -> Self {
        self.sections.push(Section { name: name.to_owned(), bytes });
        self
    }

    #[must_use]
    pub fn with(mut self, fact: &str, value: impl fmt::Display) -> Self {
        self.facts.push((fact.to_owned(), value.to_string()));
        self
    }
}

pub fn blocks(bytes: u64) -> u64 {
    bytes.div_ceil(BLOCK as u64)
}
