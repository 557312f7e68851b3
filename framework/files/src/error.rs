//! The error of a file operation.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
#[error("{}", self.message())]
pub struct FileError {
    pub path: PathBuf,
    /// The operation, as a verb: `read`, `create`.
    pub action: &'static str,
    pub source: io::Error,
}

/// The message for a file without a name, for which the system reports a missing file.
pub(crate) const EMPTY_NAME: &str = "the file name is empty";

/// Returns true for the error of reading a file that is not there or is a folder.
pub fn is_misnamed(error: &io::Error) -> bool {
    use ErrorKind::{IsADirectory, NotADirectory, NotFound};
    matches!(error.kind(), NotFound | IsADirectory | NotADirectory)
}

impl FileError {
    /// Returns a function that adds operation and file to an I/O error, for `map_err`:
    /// `.map_err(FileError::at("read", path))`.
    pub fn at(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self { path: path.to_owned(), action, source }
    }

    /// Returns true if there is no file to read, so that its name is wrong rather than its content.
    pub fn is_misnamed(&self) -> bool {
        self.action == "read" && is_misnamed(&self.source)
    }

    fn message(&self) -> String {
        let Self { path, action, source } = self;
        if path.as_os_str().is_empty() {
            return EMPTY_NAME.to_owned();
        }
        let remedy = match source.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
                ": free some space, or write to another disk"
            }
            // In a folder of the system, such as /proc, that is there no file can be created.
            ErrorKind::NotFound
                if *action == "create" && !path.parent().is_some_and(Path::is_dir) =>
            {
                ": make its folder first"
            }
            _ => "",
        };
        format!("cannot {action} {}: {source}{remedy}", path.display())
    }
}
