//! The file format of models and tables.
//!
//! ```text
//! magic            8 bytes
//! format           u32, the version of this format: 1
//! header length    u32
//! header           RON: a description of the file, and name and length of each section
//! checksum         u32, of all bytes so far
//! sections         their bytes, one section after the other
//! checksums        u32 for every block (1 MiB, or the rest) of every section
//! checksum         u32, of these checksums
//! ```
//!
//! Numbers are little-endian, checksums are CRC-32. The header determines the length of
//! the file, so that a truncated file is recognised when it is opened, and a changed byte
//! when its block is read. Nothing is allocated for a size that exceeds the file's.

mod error;
mod format;
mod reader;
mod writer;

pub use error::{ContainerError, ContainerProblem};
pub use format::{BLOCK, Header, Section};
pub use reader::{Container, ReadAt, open_regular};
pub use writer::{Writer, write};
