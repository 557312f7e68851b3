//! How this project writes and reads files.
//!
//! - [`read()`], [`write()`] and others: access by path, with errors that name the file.
//! - [`replace`](mod@replace): atomic replacement. A reader sees the old file or the
//!   new one, never a part.
//! - `temporary`: the temporary files of that, and their removal after a crash.
//! - [`container`]: the format of models and tables. A header describes the file, and
//!   every block of data has a checksum.
//! - [`lock`]: locks of files that a command writes again and again.
//! - `lines`: files of lines that grow.
//! - [`ledger`]: folders with a definition and its finished lines.
//! - [`outputs`]: the files that a job writes, and those that it refuses to overwrite.
//! - [`varint`]: integers in as few bytes as they need.
#![forbid(unsafe_code)]

mod access;
pub mod container;
mod data;
mod error;
mod identity;
pub mod ledger;
mod lines;
pub mod lock;
pub mod outputs;
pub mod replace;
mod temporary;
pub mod varint;

pub use access::{
    append, create, create_folder, is_empty_folder, open, read, read_text, remove, write,
};
pub use container::{Container, ContainerError, ContainerProblem, Header};
pub use data::data_folder;
pub use error::{FileError, is_misnamed};
pub use identity::FileId;
pub use ledger::{LedgerError, LedgerKind, LockedLedger};
pub use lines::{LineError, LineFile, Lines, LockedLines, Objects};
pub use lock::{FileLock, LockError};
pub use outputs::{OutputError, Outputs, checkpoint_beside, curve_beside};
pub use replace::{can_be_written, replace, replace_by, resolved};

/// Tests the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
