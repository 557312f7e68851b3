//! How this project writes and reads its large files.
//!
//! [`replace`](mod@replace) writes a file as a whole or not at all. [`container`] is the form
//! of models and tables: a header that says what it is, then blocks with
//! checksums, so that a damaged or foreign file is named as such before any of it
//! is believed. [`sealed`] is that of small texts: their last line is their checksum.
//! [`varint`] spells numbers that are mostly small.
#![forbid(unsafe_code)]

pub mod container;
pub mod replace;
pub mod sealed;
pub mod varint;

pub use container::{Container, ContainerError, Header, Problem};
pub use replace::{FileError, can_be_written, create_beside, rename, replace, replace_by, target};
