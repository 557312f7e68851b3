//! The file of the results of a tournament that runs, or of one of its shards.
//!
//! A result is one line that is appended when a game is over, so a tournament continues after
//! a crash. The last line is dropped if it is incomplete.

use super::resolved::Built;
use super::results::{Games, ReadResults, read};
use crate::failure::Failure;
use crate::lock::FileLock;
use crate::notes::note;
use runner_files::FileError;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The file, locked against other runs.
pub struct ResultsFile {
    path: PathBuf,
    file: File,
    _lock: FileLock,
}

impl ResultsFile {
    /// Opens the file, or creates it, and returns the games that were played.
    pub fn open(path: &Path, built: &Built) -> Result<(Self, Games), Failure> {
        let lock = FileLock::acquire(path)?;
        let ReadResults { games, length, torn } = read(path, built)?;
        if torn > 0 {
            note(format!(
                "note: the last line of {} is incomplete and was removed; its game is played again",
                path.display()
            ));
        }
        let at = |error| Failure::from(FileError::at("write", path)(error));
        let options = || {
            let mut options = OpenOptions::new();
            options.create(true).truncate(false);
            options
        };
        options().write(true).open(path).and_then(|file| file.set_len(length)).map_err(at)?;
        let file = options().append(true).open(path).map_err(at)?;
        Ok((Self { path: path.to_owned(), file, _lock: lock }, games))
    }

    /// Appends lines.
    pub fn append(&mut self, lines: &[u8]) -> Result<(), Failure> {
        Ok(self.file.write_all(lines).map_err(FileError::at("write", &self.path))?)
    }

    /// Waits until all lines are on the disk.
    pub fn sync(&self) -> Result<(), Failure> {
        Ok(self.file.sync_data().map_err(FileError::at("write", &self.path))?)
    }
}
