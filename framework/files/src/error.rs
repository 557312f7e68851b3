//! The error of a file operation.

use std::fmt;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

#[derive(Debug)]
pub struct FileError {
    pub path: PathBuf,
    /// The operation, as a verb: `read`, `create`.
    pub action: &'static str,
    pub source: io::Error,
}

/// The message for a file without a name, for which the system reports a missing file.
pub(crate) const EMPTY_NAME: &str = "the file name is empty";

impl FileError {
    /// Returns a function that adds operation and file to an I/O error, for `map_err`:
    /// `.map_err(FileError::at("read", path))`.
    pub fn at(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self { path: path.to_owned(), action, source }
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.as_os_str().is_empty() {
            return f.write_str(EMPTY_NAME);
        }
        write!(f, "cannot {} {}: {}", self.action, self.path.display(), self.source)?;
        match self.source.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
                f.write_str(": free some space, or write to another disk")
            }
            // In a folder of the system, such as /proc, that is there no file can be created.
            ErrorKind::NotFound
                if self.action == "create" && !self.path.parent().is_some_and(Path::is_dir) =>
            {
                f.write_str(": make its folder first")
            }
            _ => Ok(()),
        }
    }
}

impl std::error::Error for FileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.source)
    }
}
