//! Atomic replacement of files: a temporary file is written beside the target, synced, and renamed
//! over it. A full disk or an interrupt leaves the old file as it was. The new file has the
//! permissions of the old one, and a write-protected file is not replaced. Every error names its
//! file.

use crate::error::FileError;
use crate::temporary::{create_beside, remove_abandoned};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Writes a file atomically. If `write` or anything else fails, the old file stays and
/// the temporary file is removed.
///
/// ```
/// # use std::io::Write;
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = &folder.path().join("results.ron");
/// runner_files::replace(path, |file| writeln!(file, "()"))?;
/// # Ok::<(), runner_files::FileError>(())
/// ```
pub fn replace<T>(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<T>,
) -> Result<T, FileError> {
    replace_by(path, |temporary| {
        let failed = |source| FileError::at("write", path)(source);
        let file = File::create(temporary).map_err(FileError::at("create", path))?;
        let mut file = BufWriter::new(file);
        let result = write(&mut file).map_err(failed)?;
        file.flush().map_err(failed)?;
        Ok(result)
    })
}

/// Writes a file atomically with a function that takes a path, as learners do. The path
/// is that of an empty file beside the target.
pub fn replace_by<T, E: From<FileError>>(
    path: &Path,
    write: impl FnOnce(&Path) -> Result<T, E>,
) -> Result<T, E> {
    let path = target(path)?;
    remove_abandoned(&path);
    // The handle keeps the file locked until it has its final name.
    let (temporary, _handle) = create_beside(&path)?;
    let removal = Removal(&temporary);
    let result = write(&temporary)?;
    let sync = || OpenOptions::new().write(true).open(&temporary)?.sync_all();
    sync().map_err(FileError::at("write", &path))?;
    rename(&temporary, &path)?;
    std::mem::forget(removal);
    Ok(result)
}

/// Removes the temporary file when it is dropped, after an error or a panic.
struct Removal<'a>(&'a Path);

impl Drop for Removal<'_> {
    fn drop(&mut self) {
        // The error that led here is the one to report.
        let _ = fs::remove_file(self.0);
    }
}

/// Checks that a file can be written, before hours of work depend on it. An existing
/// file is not changed.
pub fn can_be_written(path: &Path) -> Result<(), FileError> {
    let path = target(path)?;
    remove_abandoned(&path);
    let (beside, _handle) = create_beside(&path)?;
    fs::remove_file(&beside).map_err(FileError::at("remove", &beside))
}

/// Returns the file that a path means, with links resolved, for a file that is to be written. A
/// write-protected file is refused, and so is a device, such as `/dev/null`, because a rename would
/// replace it.
fn target(path: &Path) -> Result<PathBuf, FileError> {
    let target = resolved(path)?;
    match fs::metadata(&target) {
        Ok(found) if found.permissions().readonly() => {
            let reason = "it is write-protected; make it writable, or name another file";
            Err(FileError::at("write", path)(io::Error::other(reason)))
        }
        _ => Ok(target),
    }
}

/// Returns the file that a path means, with links resolved. It need not exist.
pub fn resolved(path: &Path) -> Result<PathBuf, FileError> {
    let refuse = |reason: &str| Err(FileError::at("write", path)(io::Error::other(reason)));
    match fs::metadata(path) {
        Ok(found) if found.is_file() => fs::canonicalize(path).map_err(FileError::at("find", path)),
        Ok(found) if found.is_dir() => refuse("it is a folder; name a file in it"),
        Ok(_) => refuse("it is not a regular file"),
        // A file that does not exist yet, or a link to one. Links in a ring give another error.
        Err(error) if error.kind() == ErrorKind::NotFound => match fs::read_link(path) {
            Ok(link) => resolved(&path.with_file_name(link)),
            Err(_) => Ok(path.to_owned()),
        },
        Err(error) => Err(FileError::at("find", path)(error)),
    }
}

/// Renames a synced file to its final name, and syncs the folder so that the new name
/// survives a crash of the system.
fn rename(from: &Path, to: &Path) -> Result<(), FileError> {
    fs::rename(from, to).map_err(FileError::at("replace", to))?;
    // Windows cannot sync folders.
    #[cfg(unix)]
    {
        let folder = crate::temporary::folder_of(to);
        let sync = || File::open(folder)?.sync_all();
        sync().map_err(FileError::at("sync", folder))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    fn names(folder: &Path) -> Vec<String> {
        let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name();
        let mut names: Vec<_> =
            fs::read_dir(folder).unwrap().map(|entry| name(entry).into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn replacing_leaves_the_new_content_and_no_temporary_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.model");
        for text in ["first, the longer", "second"] {
            replace(&path, |file| file.write_all(text.as_bytes())).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(names(folder.path()), ["a.model"]);
    }

    #[test]
    fn errors_and_panics_leave_the_old_file_and_no_temporary_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.model");
        fs::write(&path, "good").unwrap();
        let error = replace(&path, |file| {
            file.write_all(b"half")?;
            Err::<(), _>(io::Error::from(ErrorKind::StorageFull))
        })
        .unwrap_err();
        let message = error.to_string();
        assert!(message.contains("a.model") && message.contains("free some space"), "{message}");
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            replace(&path, |_| -> io::Result<()> { panic!("the writer panics") })
        }));
        assert!(panicked.is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "good");
        assert_eq!(names(folder.path()), ["a.model"]);
    }

    #[test]
    fn folders_devices_and_missing_folders_are_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let nothing = |_: &mut BufWriter<File>| Ok(());
        let missing = replace(&folder.path().join("no/a.model"), nothing).unwrap_err();
        let missing = missing.to_string();
        assert!(missing.contains("a.model") && missing.contains("make its folder"), "{missing}");
        let is_folder = replace(folder.path(), nothing).unwrap_err().to_string();
        assert!(is_folder.contains("is a folder"), "{is_folder}");
        for path in [&folder.path().join("no/a.model"), folder.path()] {
            assert!(can_be_written(path).is_err(), "{path:?}");
        }
        #[cfg(unix)]
        assert!(target(Path::new("/dev/null")).unwrap_err().to_string().contains("regular"));
    }

    #[test]
    fn checking_for_writability_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.model");
        can_be_written(&path).unwrap();
        assert!(names(folder.path()).is_empty());
        fs::write(&path, "good").unwrap();
        can_be_written(&path).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "good");
        assert_eq!(names(folder.path()), ["a.model"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link_and_its_file_is_created_and_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        let other = folder.path().join("other");
        std::os::unix::fs::symlink("real", &link).unwrap();
        std::os::unix::fs::symlink("link", &other).unwrap();
        for text in ["first", "second"] {
            replace(&other, |file| file.write_all(text.as_bytes())).unwrap();
            assert_eq!(fs::read_to_string(&real).unwrap(), text);
            assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        }
        fs::remove_file(&real).unwrap();
        std::os::unix::fs::symlink("other", &real).unwrap();
        let ring = replace(&other, |_| Ok(())).unwrap_err().to_string();
        assert!(ring.contains("other"), "{ring}");
        assert_eq!(names(folder.path()), ["link", "other", "real"]);
    }

    #[cfg(unix)]
    #[test]
    fn permissions_are_kept_and_a_write_protected_file_is_refused() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.model");
        fs::write(&path, "old").unwrap();
        let set = |mode| fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        for mode in [0o600, 0o664] {
            set(mode);
            replace(&path, |file| file.write_all(b"new")).unwrap();
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, mode);
        }
        set(0o444);
        for refused in [replace(&path, |_| Ok(())), can_be_written(&path)] {
            let refused = refused.unwrap_err().to_string();
            assert!(refused.contains("a.model: it is write-protected"), "{refused}");
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(names(folder.path()), ["a.model"]);
    }
}
