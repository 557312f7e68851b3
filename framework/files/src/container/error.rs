//! The error of reading a container.

use super::format::FORMAT;
use crate::error::EMPTY_NAME;
use std::io;

#[derive(Debug, thiserror::Error)]
#[error("{}", self.message())]
pub struct ContainerError {
    pub file: String,
    pub problem: ContainerProblem,
}

#[derive(Debug)]
pub enum ContainerProblem {
    Io(io::Error),
    /// The file is not a container: it does not begin with the signature.
    Foreign,
    Format(u32),
    /// The file is shorter or longer than its header says.
    Length {
        expected: u128,
        found: u64,
    },
    /// A part of this many bytes does not fit in memory. A file may be much shorter on the disk
    /// than its length, if most of it was never written.
    Memory(u128),
    /// The content is inconsistent; the text says where.
    Damaged(String),
    /// The file is intact, but unsuitable; the text continues "FILE ...".
    Unsuitable(String),
}

impl ContainerError {
    fn message(&self) -> String {
        let file = &self.file;
        match &self.problem {
            ContainerProblem::Io(_) if file.is_empty() => EMPTY_NAME.to_owned(),
            ContainerProblem::Io(error) => format!("cannot read {file}: {error}"),
            ContainerProblem::Foreign => {
                format!("{file} is not a model or table of this program: unknown file type")
            }
            ContainerProblem::Format(found) => format!(
                "{file} has format version {found}, and this program reads version {FORMAT}"
            ),
            ContainerProblem::Length { expected, found } => {
                let is_short = u128::from(*found) < *expected;
                let what = if is_short { "truncated" } else { "damaged" };
                format!("{file} is {what}: it has {found} bytes and should have {expected}")
            }
            ContainerProblem::Memory(bytes) => {
                format!("{file} needs {bytes} bytes of memory, which this machine does not give")
            }
            ContainerProblem::Damaged(place) => format!("{file} is damaged: {place}"),
            ContainerProblem::Unsuitable(why) => format!("{file} {why}"),
        }
    }
}
