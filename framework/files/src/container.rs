//! The form of models and tables.
//!
//! ```text
//! magic            8 bytes
//! format           u32, this is number 1
//! header's length  u32
//! header           RON: what the file is, and the name and length of every section
//! checksum         u32, of all bytes so far
//! sections         the bytes of one after the other
//! checksums        u32 for every mebibyte, or rest of one, of every section
//! checksum         u32, of these
//! ```
//!
//! All numbers are little-endian, all checksums CRC-32. The header fixes the
//! length of the file, so that one which is cut off is recognised when it is
//! opened; a changed byte is when its block is read. Nothing is allocated by a
//! size that the length of the file does not bear out.

mod reader;
mod writer;

pub use reader::{Container, ReadAt};
pub use writer::{Writer, write};

use serde::{Deserialize, Serialize};
use std::fmt;
use std::io;
use std::ops::Range;

/// The first bytes of a container.
const MAGIC: [u8; 8] = *b"\x93RUNBOX\n";

/// The version of the form.
const FORMAT: u32 = 1;

/// Every so many bytes of a section have a checksum.
pub const BLOCK: usize = 1 << 20;

/// No header is longer.
const MAX_HEADER: usize = 1 << 20;

/// What a file is, and what made it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// What kind of thing it is: `model`, `exact table`.
    pub kind: String,
    /// The resolved spec of the game, defaults included.
    pub game: String,
    /// The resolved spec of the plugin that reads it, defaults included.
    pub spec: String,
    /// What else is to be known, in words or RON: `("moves", "141000000")`.
    pub facts: Vec<(String, String)>,
    /// The parts of the file, in their order.
    pub sections: Vec<Section>,
}

/// A part of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Section {
    /// Its name.
    pub name: String,
    /// Its length in bytes.
    pub bytes: u64,
}

impl Header {
    /// One of the facts.
    pub fn fact(&self, name: &str) -> Option<&str> {
        self.facts.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Adds a section.
    #[must_use]
    pub fn section(mut self, name: &str, bytes: u64) -> Self {
        self.sections.push(Section { name: name.to_owned(), bytes });
        self
    }

    /// Adds a fact.
    #[must_use]
    pub fn with(mut self, fact: &str, value: impl fmt::Display) -> Self {
        self.facts.push((fact.to_owned(), value.to_string()));
        self
    }
}

/// How many checksums a section has.
fn blocks(bytes: u64) -> u64 {
    bytes.div_ceil(BLOCK as u64)
}

/// The bytes of a block within its section.
fn block_range(section: &Section, block: u64) -> Range<u64> {
    let start = block * BLOCK as u64;
    start..section.bytes.min(start + BLOCK as u64)
}

/// What is wrong with which file.
#[derive(Debug)]
pub struct ContainerError {
    /// The file.
    pub file: String,
    /// What it is.
    pub problem: Problem,
}

/// The ways in which a container can be unreadable.
#[derive(Debug)]
pub enum Problem {
    /// The system cannot do it.
    Io(io::Error),
    /// It is something else.
    Foreign,
    /// It has another version of the form.
    Format(u32),
    /// It is shorter or longer than its header says.
    Length {
        /// How long it should be.
        expected: u128,
        /// How long it is.
        found: u64,
    },
    /// Its bytes contradict each other, here.
    Damaged(String),
    /// It is whole, but not what is needed; a sentence says why.
    Unsuitable(String),
}

impl fmt::Display for ContainerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = &self.file;
        match &self.problem {
            Problem::Io(error) => write!(f, "cannot read {file}: {error}"),
            Problem::Foreign => {
                write!(f, "{file} is no model or table of this program: it begins otherwise")
            }
            Problem::Format(found) => write!(
                f,
                "{file} has format {found}, and this program reads format {FORMAT}: \
                 another version of the program wrote it"
            ),
            Problem::Length { expected, found } if u128::from(*found) < *expected => {
                write!(f, "{file} is cut off: it has {found} bytes and should have {expected}")
            }
            Problem::Length { expected, found } => {
                write!(f, "{file} is damaged: it has {found} bytes and should have {expected}")
            }
            Problem::Damaged(place) => write!(f, "{file} is damaged: {place}"),
            Problem::Unsuitable(why) => write!(f, "{file} {why}"),
        }
    }
}

impl std::error::Error for ContainerError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.problem {
            Problem::Io(error) => Some(error),
            _ => None,
        }
    }
}
