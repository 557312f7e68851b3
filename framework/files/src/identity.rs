//! The identity of a file, by which one that was replaced is noticed.

use crate::FileError;
use std::fs;
#[cfg(unix)]
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The identity of a file. A file that was replaced or written since has another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileId {
    path: PathBuf,
    length: u64,
    written: Option<SystemTime>,
    /// Device and number of the file, and the time of its last change in seconds and nanoseconds.
    #[cfg(unix)]
    node: (u64, u64, i64, i64),
}

impl FileId {
    pub fn of(path: &Path) -> Result<Self, FileError> {
        let found = path.canonicalize().and_then(|path| Ok((fs::metadata(&path)?, path)));
        let (metadata, path) = found.map_err(FileError::at("read", path))?;
        Ok(Self {
            path,
            length: metadata.len(),
            written: metadata.modified().ok(),
            #[cfg(unix)]
            node: (metadata.dev(), metadata.ino(), metadata.ctime(), metadata.ctime_nsec()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replaced_file_is_another_one() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.model");
        let other = folder.path().join("b.model");
        fs::write(&file, "one").unwrap();
        fs::write(&other, "two").unwrap();
        let before = FileId::of(&file).unwrap();
        assert_eq!(FileId::of(&folder.path().join(".").join("a.model")).unwrap(), before);
        assert_ne!(FileId::of(&other).unwrap(), before);
        fs::rename(&other, &file).unwrap();
        assert_ne!(FileId::of(&file).unwrap(), before);
        let error = FileId::of(&other).unwrap_err().to_string();
        assert!(error.contains("b.model"), "{error}");
    }
}
