//! Ledgers: folders with a sealed definition of work, and a line for each part of it that is
//! finished. Work that was stopped continues with the parts that have no line.

use crate::error::FileError;
use crate::lines::{LineFile, LockedLines};
use crate::lock::LockError;
use crate::replace::{SUFFIX, replace};
use crate::sealed::{self, Broken};
use ron::extensions::Extensions;
use ron::ser::PrettyConfig;
use serde::Serialize;
use std::ffi::OsString;
use std::fmt::{self, Display};
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// File of the finished lines.
const RESULTS: &str = "results.jsonl";

/// The names in the ledgers of one kind of work.
#[derive(Debug)]
pub struct LedgerKind {
    /// What a ledger holds, with its article: "a tournament".
    pub what: &'static str,
    /// File of the definition.
    pub definition: &'static str,
    /// First line of the definition, a comment.
    pub header: &'static str,
    /// Folders beside it.
    pub folders: &'static [&'static str],
    /// How the work is changed, for the message that refuses an edited definition.
    pub how_to_change: &'static str,
}

impl LedgerKind {
    /// Returns the file of the definition in a folder.
    pub fn definition(&self, folder: &Path) -> PathBuf {
        folder.join(self.definition)
    }

    /// Returns the file of the finished lines in a folder.
    pub fn results(&self, folder: &Path) -> PathBuf {
        folder.join(RESULTS)
    }

    /// Returns a definition as the text of a file, without its checksum.
    pub fn text(&self, definition: &impl Serialize) -> Result<String, FileError> {
        let options = ron::Options::default()
            .with_default_extension(Extensions::UNWRAP_NEWTYPES)
            .with_default_extension(Extensions::IMPLICIT_SOME);
        let text = options.to_string_pretty(definition, PrettyConfig::default());
        let at = FileError::at("write", Path::new(self.definition));
        let text = text.map_err(io::Error::other).map_err(at)?;
        Ok(format!("{}\n{text}\n", self.header))
    }

    /// Reads the definition that a folder holds; `None` if there is no folder, or only what is left of
    /// a run that was killed before it wrote the definition.
    pub fn held<T, E: Display>(
        &self,
        folder: &Path,
        read: impl FnOnce(&str) -> Result<T, E>,
    ) -> Result<Option<T>, LedgerError> {
        let path = self.definition(folder);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error)
                if [ErrorKind::NotFound, ErrorKind::NotADirectory].contains(&error.kind()) =>
            {
                self.refuse_other_files(folder)?;
                return Ok(None);
            }
            Err(error) => return Err(FileError::at("read", &path)(error).into()),
        };
        // A copy of Windows may have other line ends, and an editor may add one at the end.
        let text = format!("{}\n", text.replace("\r\n", "\n").trim_end());
        if let Err(broken) = sealed::open(text.as_bytes()) {
            // A line after the checksum is an edit too.
            let has_seal = sealed::has_seal(&text);
            let broken = if has_seal { Broken::Changed } else { broken };
            return Err(LedgerError::Edited { path, broken, change: self.how_to_change });
        }
        match read(&text) {
            Ok(definition) => Ok(Some(definition)),
            Err(error) => Err(LedgerError::Version { path, error: error.to_string() }),
        }
    }

    /// Locks the ledger in a folder, which need not exist, and reads it. Nothing that the folder holds
    /// is changed.
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
    pub fn another(&self, folder: &Path, difference: Difference) -> LedgerError {
        LedgerError::Another { folder: folder.to_owned(), what: self.what, difference }
    }

    fn refuse_other_files(&self, folder: &Path) -> Result<(), LedgerError> {
        let failed = |error| FileError::at("read", folder)(error);
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(error) if error.kind() == ErrorKind::NotADirectory => {
                return Err(LedgerError::NoFolder(folder.to_owned()));
            }
            Err(error) => return Err(failed(error).into()),
        };
        for entry in entries {
            let entry = entry.map_err(failed)?;
            if !self.is_left_over(&entry) {
                let (folder, file) = (folder.to_owned(), entry.file_name());
                return Err(LedgerError::OtherFiles { folder, what: self.what, file });
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
    /// The finished lines.
    pub results: LockedLines,
}

impl<T> LockedLedger<T> {
    /// Writes the definition with a checksum, removes an incomplete last line, and opens the file of the
    /// lines for more.
    pub fn begin(self, definition: &str) -> Result<LineFile, FileError> {
        let text = sealed::seal(definition.trim_end());
        let path = self.kind.definition(&self.folder);
        replace(&path, |file| file.write_all(text.as_bytes()))?;
        self.results.begin()
    }
}

/// The reason why a ledger is refused.
#[derive(Debug, Error)]
pub enum LedgerError {
    /// The path is that of a file.
    #[error("{} is not a folder", .0.display())]
    NoFolder(PathBuf),
    /// The folder holds files, and no definition.
    #[error(
        "{} holds other files than those of {what}, such as {}", folder.display(), file.display()
    )]
    OtherFiles {
        /// The folder.
        folder: PathBuf,
        /// What was expected.
        what: &'static str,
        /// One of the files.
        file: OsString,
    },
    /// The definition was edited: the lines are those of the one before.
    #[error("{}: {}; undo the edit; {change}", path.display(), edit(*broken))]
    Edited {
        /// The definition.
        path: PathBuf,
        /// What is wrong with its checksum.
        broken: Broken,
        /// How the work is changed.
        change: &'static str,
    },
    /// The definition is one of another version of the program.
    #[error("{}: another version of the program wrote it: {error}", path.display())]
    Version {
        /// The definition.
        path: PathBuf,
        /// What this version cannot read.
        error: String,
    },
    /// The folder holds other work.
    #[error("{} holds another {}: {difference}", folder.display(), without_article(what))]
    Another {
        /// The folder.
        folder: PathBuf,
        /// What it holds.
        what: &'static str,
        /// What differs.
        difference: Difference,
    },
    /// The file of the lines is locked.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
}

impl LedgerError {
    /// Returns what to do for work that is given a folder, with the words before it; `None` if the
    /// message has a remedy.
    pub fn remedy(&self) -> Option<&'static str> {
        match self {
            Self::NoFolder(_) => Some("; name a folder"),
            Self::Another { difference: Difference { remedy: Some(_), .. }, .. } => {
                Some(", or name another folder")
            }
            Self::OtherFiles { .. } | Self::Version { .. } | Self::Another { .. } => {
                Some("; name another folder")
            }
            Self::Edited { .. } | Self::Lock(_) | Self::File(_) => None,
        }
    }
}

fn edit(broken: Broken) -> String {
    match broken {
        Broken::Changed => broken.to_string(),
        Broken::Truncated => "its last line, a checksum, is missing: it was edited, or another \
                              version of the program wrote it"
            .into(),
    }
}

fn without_article(what: &str) -> &str {
    what.split_once(' ').map_or(what, |(_, noun)| noun)
}

/// How a definition differs from the one that a ledger holds.
#[derive(Debug)]
pub struct Difference {
    /// What differs.
    what: String,
    /// What makes both equal again, if that is not the definition.
    remedy: Option<&'static str>,
}

impl Difference {
    /// Returns the difference with what makes both definitions equal again.
    pub fn with_remedy(what: String, remedy: &'static str) -> Self {
        Self { what, remedy: Some(remedy) }
    }
}

impl From<String> for Difference {
    fn from(what: String) -> Self {
        Self { what, remedy: None }
    }
}

impl Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        self.remedy.map_or(Ok(()), |remedy| write!(f, "; {remedy}"))
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
        how_to_change: "name a copy",
    };

    fn lock(folder: &Path) -> Result<LockedLedger<u32>, LedgerError> {
        KIND.lock(folder, |text| text.lines().next().unwrap_or_default().parse::<u32>())
    }

    #[test]
    fn definition_and_lines_are_read_back_and_an_edit_is_refused() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("a/b");
        let mut file = lock(&folder).unwrap().begin("7\n").unwrap();
        file.append(b"{}\n").unwrap();
        assert!(matches!(lock(&folder), Err(LedgerError::Lock(LockError::InUse { .. }))));
        drop(file);
        let locked = lock(&folder).unwrap();
        assert_eq!((locked.held, locked.results.lines.complete()), (Some(7), &b"{}\n"[..]));
        drop(locked);
        let path = KIND.definition(&folder);
        let text = fs::read_to_string(&path).unwrap();
        // Line ends of Windows are no edit.
        fs::write(&path, text.replace('\n', "\r\n") + "\n").unwrap();
        assert_eq!(lock(&folder).unwrap().held, Some(7));
        for (edited, broken) in [
            (text.replace('7', "8"), Broken::Changed),
            (format!("{text}8\n"), Broken::Changed),
            ("7\n".to_owned(), Broken::Truncated),
        ] {
            fs::write(&path, &edited).unwrap();
            let error = lock(&folder).err().unwrap();
            assert!(
                matches!(&error, LedgerError::Edited { broken: b, .. } if *b == broken),
                "{edited}: {error}"
            );
        }
        fs::write(&path, sealed::seal("seven")).unwrap();
        assert!(matches!(lock(&folder), Err(LedgerError::Version { .. })));
    }

    #[test]
    fn folders_of_others_are_refused_and_left_as_they_are() {
        let folder = tempfile::tempdir().unwrap();
        // What a killed run leaves.
        fs::create_dir(folder.path().join("models")).unwrap();
        for name in ["results.jsonl", "results.jsonl.lock", "experiment.ron.runner-tmp"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        assert_eq!(lock(folder.path()).unwrap().held, None);
        for (name, text) in [("results.jsonl", "{}\n"), ("models/a.model", "x")] {
            let path = folder.path().join(name);
            fs::write(&path, text).unwrap();
            let error = lock(folder.path()).err().unwrap();
            assert!(matches!(error, LedgerError::OtherFiles { .. }), "{name}: {error}");
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
            fs::remove_file(&path).unwrap();
        }
        let file = folder.path().join("results.jsonl");
        fs::write(&file, "").unwrap();
        assert!(matches!(lock(&file), Err(LedgerError::NoFolder(_))));
    }
}
