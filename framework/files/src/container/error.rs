//! The error of reading a container.

use super::format::FORMAT;
use crate::error::EMPTY_NAME;
use std::fmt;
use std::io;

#[derive(Debug)]
pub struct ContainerError {
    pub file: String,
    pub problem: Problem,
}

/// The reason why a file cannot be read.
#[derive(Debug)]
pub enum Problem {
    Io(io::Error),
    /// The file is not a container: it does not begin with the signature.
    Foreign,
    Format(u32),
    /// The file is shorter or longer than its header says.
    Length {
        expected: u128,
        found: u64,
    },
    /// The content is inconsistent; the text says where.
    Damaged(String),
    /// The file is intact, but unsuitable; the text continues "FILE ...".
    Unsuitable(String),
}

impl fmt::Display for ContainerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = &self.file;
        match &self.problem {
            Problem::Io(_) if file.is_empty() => f.write_str(EMPTY_NAME),
            Problem::Io(error) => write!(f, "cannot read {file}: {error}"),
            Problem::Foreign => {
                write!(f, "{file} is not a model or table of this program: unknown file type")
            }
            Problem::Format(found) => write!(
                f,
                "{file} has format version {found}, and this program reads version {FORMAT}: \
                 another version of the program wrote it"
            ),
            Problem::Length { expected, found } if u128::from(*found) < *expected => {
                write!(f, "{file} is truncated: it has {found} bytes and should have {expected}")
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
