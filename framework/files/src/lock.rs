//! A lock on a file that a command writes again and again, such as a model in training.

use crate::error::FileError;
use crate::replace::resolved;
use crate::temporary::is_named;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use thiserror::Error;

#[derive(Debug, Error)]
pub enum LockError {
    #[error("{} is in use: another runner writes it; wait until it is done", file.display())]
    InUse { file: PathBuf },
    /// A file of the user has the name of the lock.
    #[error("{} is in the way: the lock of {} has this name; rename it", lock.display(), file.display())]
    InTheWay {
        lock: PathBuf,
        /// The file to lock.
        file: PathBuf,
    },
    #[error(transparent)]
    File(#[from] FileError),
}

/// An exclusive lock, held by `FILE.lock` beside the file. The system releases it when the
/// process ends, however that happens.
#[derive(Debug)]
pub struct FileLock {
    lock: PathBuf,
    /// Open for as long as the lock is held.
    _file: File,
}

impl FileLock {
    /// Locks a file, which need not exist. Fails if another process holds the lock.
    pub fn acquire(file: &Path) -> Result<Self, LockError> {
        let lock = path(&resolved(file)?);
        // Not a lock either; and opening a pipe would wait for its reader.
        if fs::metadata(&lock).is_ok_and(|found| !found.is_file()) {
            return Err(LockError::InTheWay { lock, file: file.to_owned() });
        }
        loop {
            let opened = OpenOptions::new().write(true).create(true).truncate(false).open(&lock);
            let opened = opened.map_err(FileError::at("create", &lock))?;
            match opened.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    return Err(LockError::InUse { file: file.to_owned() });
                }
                // Some network file systems have no locks.
                Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => {}
                Err(TryLockError::Error(error)) => {
                    return Err(FileError::at("lock", &lock)(error).into());
                }
            }
            // A lock file is empty; another file is not removed as one.
            let length = opened.metadata().map_err(FileError::at("read", &lock))?.len();
            if length > 0 {
                return Err(LockError::InTheWay { lock, file: file.to_owned() });
            }
            // The last holder may have removed the file after it was opened here.
            if is_named(&opened, &lock) {
                return Ok(Self { lock, _file: opened });
            }
        }
    }
}

pub fn path(file: &Path) -> PathBuf {
    let mut lock = OsString::from(file);
    lock.push(".lock");
    lock.into()
}

impl Drop for FileLock {
    fn drop(&mut self) {
        // A lock file that stays is empty, and the next holder removes it.
        let _ = fs::remove_file(&self.lock);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn second_lock_is_refused_until_the_first_is_released() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.model");
        let first = FileLock::acquire(&path).unwrap();
        assert!(matches!(FileLock::acquire(&path), Err(LockError::InUse { .. })));
        drop(first);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        // A file of the user is no lock.
        fs::write(folder.path().join("a.model.lock"), "kept").unwrap();
        assert!(matches!(FileLock::acquire(&path), Err(LockError::InTheWay { .. })));
        assert_eq!(fs::read(folder.path().join("a.model.lock")).unwrap(), b"kept");
        fs::remove_file(folder.path().join("a.model.lock")).unwrap();
        fs::create_dir(folder.path().join("a.model.lock")).unwrap();
        assert!(matches!(FileLock::acquire(&path), Err(LockError::InTheWay { .. })));
        fs::remove_dir(folder.path().join("a.model.lock")).unwrap();
        // A lock file that a killed process left is no lock.
        fs::write(folder.path().join("a.model.lock"), "").unwrap();
        drop(FileLock::acquire(&path).unwrap());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
