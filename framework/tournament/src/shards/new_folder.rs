//! A folder that appears when it is complete.

use runner_files::{FileLock, TEMPORARY_SUFFIX, rename};
use runner_play::failure::Failure;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// A folder that is written beside its final place. The next run removes the files of a killed one.
pub struct NewFolder {
    target: PathBuf,
    temporary: PathBuf,
    _lock: FileLock,
}

impl NewFolder {
    /// Begins a folder, and refuses one that holds anything.
    pub fn begin(path: &Path) -> Result<Self, Failure> {
        if path.is_file() {
            return Err(Failure::usage(format!("{} is not a folder; name one", path.display())));
        }
        if !runner_files::paths_in(path)?.is_empty() {
            return Err(Failure::usage(format!(
                "{} holds files already; name another folder",
                path.display()
            )));
        }
        runner_files::remove_folder(path)?;
        // Drops a trailing slash, so that a suffix can be appended.
        let target: PathBuf = path.components().collect();
        if let Some(parent) = target.parent() {
            runner_files::create_folder(parent)?;
        }
        let lock = FileLock::acquire(&target)?;
        let mut temporary = OsString::from(&target);
        temporary.push(format!(".{TEMPORARY_SUFFIX}"));
        let temporary = PathBuf::from(temporary);
        runner_files::remove_folder(&temporary)?;
        runner_files::create_folder(&temporary)?;
        Ok(Self { target, temporary, _lock: lock })
    }

    pub fn path(&self) -> &Path {
        &self.temporary
    }

    /// Gives the folder its name. No file in it may be open.
    pub fn finish(self) -> Result<(), Failure> {
        Ok(rename(&self.temporary, &self.target)?)
    }
}

impl Drop for NewFolder {
    fn drop(&mut self) {
        // The error that led here is the one to report; a finished folder has another name.
        let _ = runner_files::remove_folder(&self.temporary);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn folder_appears_when_it_is_complete() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("a/merged");
        // The folder of a killed run.
        let left = parent.path().join(format!("a/merged.{TEMPORARY_SUFFIX}"));
        fs::create_dir_all(&left).unwrap();
        fs::write(left.join("old"), "").unwrap();

        let folder = NewFolder::begin(&path.join("")).unwrap();
        fs::write(folder.path().join("new"), "").unwrap();
        assert!(!path.exists());
        let Err(Failure::Failed { message, .. }) = NewFolder::begin(&path) else { panic!("used") };
        assert!(message.contains("merged is in use"), "{message}");
        folder.finish().unwrap();
        let names = |path: &Path| -> Vec<_> {
            fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name()).collect()
        };
        assert_eq!(
            (names(&path), names(&parent.path().join("a"))),
            (vec!["new".into()], vec!["merged".into()])
        );
        assert!(matches!(NewFolder::begin(&path), Err(Failure::Usage { .. })));

        // An empty folder is replaced, and nothing is left of one that is not finished.
        let other = parent.path().join("a/other");
        fs::create_dir(&other).unwrap();
        drop(NewFolder::begin(&other).unwrap());
        assert_eq!(names(&parent.path().join("a")).len(), 1);
    }
}
