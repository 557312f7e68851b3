//! Files of lines that grow, such as one JSON object for each finished game.
//!
//! A line counts once its end is written. An incomplete last line is that of a writer that was
//! killed, or that is about to write the rest.

use crate::error::FileError;
use crate::lock::{FileLock, LockError};
use crate::sealed;
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// The bytes of a file, or of a part of it, as lines.
///
/// ```
/// # use runner_files::Lines;
/// let lines = Lines::from(b"{\"score\":4}\r\n{\"score\":8}\n{\"sco".to_vec());
/// let complete: Vec<_> = lines.iter().collect();
/// assert_eq!(complete, [(1, &b"{\"score\":4}"[..]), (2, b"{\"score\":8}")]);
/// assert_eq!(lines.torn(), b"{\"sco");
/// ```
#[derive(Debug, Default)]
pub struct Lines {
    bytes: Vec<u8>,
    /// Length of the complete lines in bytes.
    length: usize,
}

impl From<Vec<u8>> for Lines {
    fn from(bytes: Vec<u8>) -> Self {
        let length = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        Self { bytes, length }
    }
}

impl Lines {
    pub fn read(path: &Path) -> Result<Self, FileError> {
        fs::read(path).map(Self::from).map_err(FileError::at("read", path))
    }

    /// Reads a file. A missing file has no lines.
    pub fn read_if_exists(path: &Path) -> Result<Self, FileError> {
        match Self::read(path) {
            Err(error) if error.source.kind() == ErrorKind::NotFound => Ok(Self::default()),
            read => read,
        }
    }

    /// Iterates over the complete lines, numbered from 1. They lack their ends, which are those of
    /// Windows if the file was edited there.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &[u8])> {
        self.complete().split_inclusive(|&byte| byte == b'\n').zip(1..).map(|(line, number)| {
            let line = line.strip_suffix(b"\n").unwrap_or(line);
            (number, line.strip_suffix(b"\r").unwrap_or(line))
        })
    }

    pub fn complete(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    /// Returns the bytes of an incomplete last line; empty if there is none.
    pub fn torn(&self) -> &[u8] {
        &self.bytes[self.length..]
    }
}

/// A file of lines that is locked, and read but not changed.
pub struct LockedLines {
    path: PathBuf,
    pub lines: Lines,
    lock: FileLock,
}

impl LockedLines {
    /// Locks a file, which need not exist, and reads it.
    pub fn lock(path: &Path) -> Result<Self, LockError> {
        let lock = FileLock::acquire(path)?;
        Ok(Self { path: path.to_owned(), lines: Lines::read_if_exists(path)?, lock })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes an incomplete last line, and opens the file for more.
    pub fn begin(self) -> Result<LineFile, FileError> {
        let at = || FileError::at("write", &self.path);
        let file = OpenOptions::new().create(true).append(true).open(&self.path).map_err(at())?;
        file.set_len(self.lines.length as u64).map_err(at())?;
        Ok(LineFile { path: self.path, file, _lock: self.lock })
    }
}

/// A locked file to which lines are appended.
pub struct LineFile {
    path: PathBuf,
    file: File,
    _lock: FileLock,
}

impl LineFile {
    /// Appends complete lines with a single write. After an error nothing must be appended: the
    /// last line may be incomplete.
    pub fn append(&mut self, lines: &[u8]) -> Result<(), FileError> {
        self.file.write_all(lines).map_err(FileError::at("write", &self.path))
    }

    /// Appends a JSON object as a line with its checksum.
    pub fn append_sealed(&mut self, mut object: Vec<u8>) -> Result<(), FileError> {
        sealed::seal_line(&mut object, 0);
        object.push(b'\n');
        self.append(&object)
    }

    pub fn sync(&self) -> Result<(), FileError> {
        self.file.sync_data().map_err(FileError::at("write", &self.path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn torn_line_is_removed_before_the_next_is_appended() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.jsonl");
        fs::write(&path, "{}\n{\"sc").unwrap();
        let locked = LockedLines::lock(&path).unwrap();
        assert_eq!((locked.lines.iter().count(), locked.lines.torn()), (1, &b"{\"sc"[..]));
        assert_eq!(fs::read(&path).unwrap(), b"{}\n{\"sc", "not before the first change");
        let mut file = locked.begin().unwrap();
        assert!(matches!(LockedLines::lock(&path), Err(LockError::InUse { .. })));
        file.append_sealed(b"{\"score\":12}".to_vec()).unwrap();
        file.sync().unwrap();
        drop(file);
        let locked = LockedLines::lock(&path).unwrap();
        let (_, line) = locked.lines.iter().nth(1).unwrap();
        assert_eq!(sealed::open_line(line), Ok(()));
    }
}
