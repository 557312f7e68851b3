//! Temporary files beside their targets, and the removal of abandoned ones.
//!
//! A process that is killed cannot remove its temporary files. So each is locked
//! (`flock`) while its process writes it, and the system releases the lock when the
//! process ends: a temporary file that can be locked is abandoned.
//!
//! Where files cannot be locked, nothing is ever removed. On Windows nothing is locked:
//! a lock there would stop the writer's other handles on the same file.

use crate::error::FileError;
use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind};
#[cfg(unix)]
use std::os::unix::fs::{MetadataExt, fchown};
use std::path::{Path, PathBuf};

/// The extension of temporary files. No user has files of this name, so that abandoned ones
/// can be removed.
pub const SUFFIX: &str = "runner-tmp";

/// Creates an empty file beside `path`: `FILE.runner-tmp`, or `FILE.2.runner-tmp` and so on if that
/// exists. It has the permissions of `path` if there is such a file. It counts as abandoned, see
/// [`remove_abandoned`], once the returned handle is closed.
pub fn create_beside(path: &Path) -> Result<(PathBuf, File), FileError> {
    let mut number = 1u64;
    loop {
        let mut name = path.as_os_str().to_owned();
        match number {
            1 => name.push(format!(".{SUFFIX}")),
            _ => name.push(format!(".{number}.{SUFFIX}")),
        }
        let beside = PathBuf::from(name);
        // `create_new` makes sure that two processes never write the same file.
        match OpenOptions::new().write(true).create_new(true).open(&beside) {
            Ok(file) if claim(&file, &beside) => {
                return match keep_permissions(path, &file) {
                    Ok(()) => Ok((beside, file)),
                    Err(error) => {
                        let _ = fs::remove_file(&beside);
                        Err(FileError::at("set the permissions of a file beside", path)(error))
                    }
                };
            }
            // Another process is removing it: it found the file before it was locked.
            Ok(_) => number += 1,
            Err(error) if error.kind() == ErrorKind::AlreadyExists => number += 1,
            // The name that the user knows.
            Err(error) if path.exists() => {
                return Err(FileError::at("create a file beside", path)(error));
            }
            Err(error) => return Err(FileError::at("create", path)(error)),
        }
    }
}

/// Gives a new file the permissions of an old one, if that exists.
fn keep_permissions(old: &Path, new: &File) -> io::Result<()> {
    let Ok(old) = fs::metadata(old) else { return Ok(()) };
    // Others than root can only choose one of their groups, so either may fail alone.
    #[cfg(unix)]
    {
        let _ = fchown(new, None, Some(old.gid()));
        let _ = fchown(new, Some(old.uid()), None);
    }
    if old.permissions() == new.metadata()?.permissions() {
        Ok(())
    } else {
        new.set_permissions(old.permissions())
    }
}

/// Removes the files that [`create_beside`] made for `path` in processes that have ended. Files
/// that are being written are kept, and errors are ignored: a file that stays is removed the next
/// time.
pub fn remove_abandoned(path: &Path) {
    let Some(name) = path.file_name() else { return };
    let Ok(entries) = fs::read_dir(folder_of(path)) else { return };
    // Listed before any is removed: on some file systems a removal would hide other entries.
    let entries = entries.flatten().filter(|entry| is_beside(&entry.file_name(), name));
    let files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    for file in files {
        // The lock is held until the file is gone, so that no other process can begin to use it.
        if let Some(_lock) = locked_if_abandoned(&file) {
            let _ = fs::remove_file(&file);
        }
    }
}

pub fn folder_of(file: &Path) -> &Path {
    match file.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

/// Returns true if [`create_beside`] makes files of this name for a target.
fn is_beside(name: &OsStr, target: &OsStr) -> bool {
    let rest = name.as_encoded_bytes().strip_prefix(target.as_encoded_bytes());
    let middle = rest.and_then(|rest| rest.strip_suffix(SUFFIX.as_bytes()));
    match middle {
        Some(b".") => true,
        Some([b'.', number @ .., b'.']) => {
            number.first().is_some_and(|digit| *digit != b'0')
                && number.iter().all(u8::is_ascii_digit)
        }
        _ => false,
    }
}

/// Locks a file that was just created. Returns false if another process took it for an abandoned
/// one before it was locked.
fn claim(file: &File, path: &Path) -> bool {
    match if cfg!(unix) { file.try_lock() } else { Ok(()) } {
        Ok(()) => is_named(file, path),
        Err(TryLockError::WouldBlock) => false,
        // Without locks nothing is removed either.
        Err(TryLockError::Error(_)) => true,
    }
}

/// Locks a file, unless a process has locked it.
fn locked_if_abandoned(path: &Path) -> Option<File> {
    // A link or a device is no file of `create_beside`.
    let is_file = fs::symlink_metadata(path).is_ok_and(|found| found.is_file());
    let file = File::open(path).ok().filter(|_| is_file && cfg!(unix))?;
    (file.try_lock().is_ok() && is_named(&file, path)).then_some(file)
}

/// Returns true if a path still names an open file. Elsewhere than on Unix a file that is open
/// cannot be removed.
pub(crate) fn is_named(file: &File, path: &Path) -> bool {
    #[cfg(unix)]
    {
        let id = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
        match (file.metadata(), fs::metadata(path)) {
            (Ok(open), Ok(named)) => id(open) == id(named),
            _ => false,
        }
    }
    #[cfg(not(unix))]
    {
        let _ = (file, path);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_existing_file_is_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.rec");
        fs::write(folder.path().join("a.rec.runner-tmp"), "kept").unwrap();
        let (beside, _file) = create_beside(&path).unwrap();
        assert_eq!(beside.file_name().unwrap(), "a.rec.2.runner-tmp");
        assert_eq!(fs::read_to_string(folder.path().join("a.rec.runner-tmp")).unwrap(), "kept");
    }

    #[test]
    fn only_names_of_the_target_are_recognised() {
        let is = |name: &str| is_beside(name.as_ref(), "a.model".as_ref());
        assert!(
            is("a.model.runner-tmp") && is("a.model.2.runner-tmp") && is("a.model.10.runner-tmp")
        );
        for other in [
            "a.model",
            "a.modelrunner-tmp",
            "a.model..runner-tmp",
            "a.model.x.runner-tmp",
            "a.model.02.runner-tmp",
            "a.model.-2.runner-tmp",
            "a.model.2.3.runner-tmp",
            "b.model.runner-tmp",
            "a.model.runner-tmp.runner-tmp",
            "a.model.2.runner-tmp2",
        ] {
            assert!(!is(other), "{other}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn abandoned_files_are_removed_and_files_in_use_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.model");
        let (used, file) = create_beside(&path).unwrap();
        let (abandoned, closed) = create_beside(&path).unwrap();
        drop(closed);
        let other = folder.path().join("b.model.runner-tmp");
        let linked = folder.path().join("a.model.7.runner-tmp");
        fs::write(&other, "of another target").unwrap();
        std::os::unix::fs::symlink(&other, &linked).unwrap();
        remove_abandoned(&path);
        assert!(used.exists() && !abandoned.exists() && other.exists() && linked.exists());
        drop(file);
        remove_abandoned(&path);
        assert!(!used.exists());
    }

    /// Threads that create, write and remove as fast as they can: a file in use must
    /// survive every removal.
    #[cfg(unix)]
    #[test]
    fn a_file_in_use_survives_concurrent_removal() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.model");
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        let (beside, file) = create_beside(&path).unwrap();
                        remove_abandoned(&path);
                        assert!(beside.exists(), "a file in use was removed");
                        drop(file);
                        remove_abandoned(&path);
                    }
                });
            }
        });
        remove_abandoned(&path);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
