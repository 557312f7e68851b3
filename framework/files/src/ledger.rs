//! Ledgers: folders with a definition of work, and a line for each part of it that is finished.
//! Work that was stopped continues with the parts that have no line.

use crate::error::FileError;
use crate::lines::{LineFile, LockedLines};
use crate::lock::LockError;
use crate::replace::replace;
use crate::temporary::SUFFIX;
use ron::extensions::Extensions;
use ron::ser::PrettyConfig;
use serde::Serialize;
use std::fmt::Display;
use std::fs;
use std::io::ErrorKind::{NotADirectory, NotFound};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;

const RESULTS: &str = "results.jsonl";

/// The names in the ledgers of one kind of work.
#[derive(Debug)]
pub struct LedgerKind {
    /// The content of a ledger, with its article: "a tournament".
    pub what: &'static str,
    /// File of the definition.
    pub definition: &'static str,
    /// First line of the definition, a comment.
    pub header: &'static str,
    /// Folders beside it.
    pub folders: &'static [&'static str],
}

impl LedgerKind {
    pub fn definition(&self, folder: &Path) -> PathBuf {
        folder.join(self.definition)
    }

    pub fn results(&self, folder: &Path) -> PathBuf {
        folder.join(RESULTS)
    }

    /// Returns a definition as the text of a file.
    fn text(&self, definition: &impl Serialize) -> Result<String, FileError> {
        let extensions = Extensions::UNWRAP_NEWTYPES | Extensions::IMPLICIT_SOME;
        let text = ron::Options::default()
            .with_default_extension(extensions)
            .to_string_pretty(definition, PrettyConfig::default())
            .map_err(io::Error::other)
            .map_err(FileError::at("write", Path::new(self.definition)))?;
        Ok(format!("{}\n{text}\n", self.header))
    }

    /// Reads the definition that a folder holds; `None` if there is no folder, or only what is left
    /// of a run that was killed before it wrote the definition.
    pub fn held<T, E: Display>(
        &self,
        folder: &Path,
        read: impl FnOnce(&str) -> Result<T, E>,
    ) -> Result<Option<T>, LedgerError> {
        let path = self.definition(folder);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if matches!(error.kind(), NotFound | NotADirectory) => {
                self.refuse_other_files(folder)?;
                return Ok(None);
            }
            Err(error) => return Err(FileError::at("read", &path)(error).into()),
        };
        read(&text)
            .map(Some)
            .map_err(|error| LedgerError::other(format!("{}: {error}", path.display())))
    }

    /// Locks the ledger in a folder, which need not exist, and reads it. Nothing that the folder
    /// holds is changed.
    pub fn lock<T, E: Display>(
        &'static self,
        folder: &Path,
        read: impl Fn(&str) -> Result<T, E>,
    ) -> Result<LockedLedger<T>, LedgerError> {
        self.held(folder, &read)?;
        fs::create_dir_all(folder).map_err(FileError::at("create", folder))?;
        let results = LockedLines::lock(&self.results(folder))?;
        // Again under the lock: another run may have begun in between.
        let held = self.held(folder, read)?;
        Ok(LockedLedger { kind: self, folder: folder.to_owned(), held, results })
    }

    /// Returns the error of a definition that differs from the one that a folder holds.
    pub fn another(&self, folder: &Path, difference: &str) -> LedgerError {
        let noun = self.what.split_once(' ').map_or(self.what, |(_, noun)| noun);
        LedgerError::other(format!("{} holds another {noun}: {difference}", folder.display()))
    }

    fn refuse_other_files(&self, folder: &Path) -> Result<(), LedgerError> {
        let failed = |error| FileError::at("read", folder)(error);
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == NotFound => return Ok(()),
            Err(error) if error.kind() == NotADirectory => {
                let message = format!("{} is not a folder; name a folder", folder.display());
                return Err(LedgerError::Refused(message));
            }
            Err(error) => return Err(failed(error).into()),
        };
        for entry in entries {
            let entry = entry.map_err(failed)?;
            if !self.is_left_over(&entry) {
                let name = entry.file_name();
                let (folder, what, file) = (folder.display(), self.what, name.display());
                return Err(LedgerError::other(format!(
                    "{folder} holds other files than those of {what}, such as {file}"
                )));
            }
        }
        Ok(())
    }

    /// Returns true for a file of a run that was killed before it wrote the definition.
    fn is_left_over(&self, entry: &fs::DirEntry) -> bool {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if self.folders.contains(&&*name) {
            return fs::read_dir(entry.path()).is_ok_and(|mut files| files.next().is_none());
        }
        match name.strip_prefix(RESULTS) {
            Some("" | ".lock") => entry.metadata().is_ok_and(|metadata| metadata.len() == 0),
            _ => name.starts_with(self.definition) && name.ends_with(SUFFIX),
        }
    }
}

/// A ledger that is locked, and read but not changed.
pub struct LockedLedger<T> {
    kind: &'static LedgerKind,
    folder: PathBuf,
    /// The definition, if the folder holds one.
    pub held: Option<T>,
    pub results: LockedLines,
}

impl<T: Serialize> LockedLedger<T> {
    /// Writes the definition, and opens the file of the lines for more behind its first `length`
    /// bytes.
    pub fn begin(self, definition: &T, length: usize) -> Result<LineFile, FileError> {
        let text = self.kind.text(definition)?;
        let path = self.kind.definition(&self.folder);
        replace(&path, |file| file.write_all(text.as_bytes()))?;
        self.results.begin(length)
    }
}

#[derive(Debug, Error)]
pub enum LedgerError {
    /// The folder holds something else. The message says what to do.
    #[error("{0}")]
    Refused(String),
    #[error(transparent)]
    Lock(#[from] LockError),
    #[error(transparent)]
    File(#[from] FileError),
}

impl LedgerError {
    fn other(message: String) -> Self {
        Self::Refused(message + "; name another folder")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static KIND: LedgerKind = LedgerKind {
        what: "an experiment",
        definition: "experiment.ron",
        header: "// A number.",
        folders: &["models"],
    };

    fn lock(folder: &Path) -> Result<LockedLedger<u32>, LedgerError> {
        KIND.lock(folder, |line| ron::from_str::<u32>(line))
    }

    #[test]
    fn definition_and_lines_are_read_back() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("a/b");
        let mut file = lock(&folder).unwrap().begin(&7, 0).unwrap();
        file.add(&1);
        file.flush().unwrap();
        assert!(matches!(lock(&folder), Err(LedgerError::Lock(LockError::InUse { .. }))));
        drop(file);
        let locked = lock(&folder).unwrap();
        assert_eq!((locked.held, locked.results.lines.objects::<u32>().count()), (Some(7), 1));
        drop(locked);
        fs::write(KIND.definition(&folder), "seven").unwrap();
        assert!(lock(&folder).err().unwrap().to_string().contains("experiment.ron: "));
    }
}
