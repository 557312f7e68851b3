//! Files that are whole or not there: written beside, synced and renamed, so
//! that a full disk or an interrupt never harms what was there before. Every
//! error names its file.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// What could not be done with which file.
#[derive(Debug)]
pub struct FileError {
    /// The file.
    pub path: PathBuf,
    /// What was tried: `read`, `create`.
    pub action: &'static str,
    /// What the system says.
    pub source: io::Error,
}

impl FileError {
    /// Names the file of an error: `.map_err(FileError::at("read", path))`.
    pub fn at(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self { path: path.to_owned(), action, source }
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot {} {}: {}", self.action, self.path.display(), self.source)?;
        match self.source.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
                f.write_str(": free some space, or write to another disk")
            }
            ErrorKind::NotFound if self.action == "create" => {
                f.write_str(": make its folder first")
            }
            _ => Ok(()),
        }
    }
}

impl std::error::Error for FileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.source)
    }
}

/// Writes a file as a whole: beside, flushed, synced, then renamed. If anything
/// fails, what was there before stays, and nothing is left beside it.
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
        let file = File::create(temporary).map_err(FileError::at("create", temporary))?;
        let mut file = BufWriter::new(file);
        let result = write(&mut file).map_err(failed)?;
        file.flush().map_err(failed)?;
        Ok(result)
    })
}

/// The same for a writer that takes a path, as learners do: it is given the path
/// of an empty file beside the one that it is to become.
pub fn replace_by<T, E: From<FileError>>(
    path: &Path,
    write: impl FnOnce(&Path) -> Result<T, E>,
) -> Result<T, E> {
    let path = target(path)?;
    let (temporary, _) = create_beside(&path, "tmp")?;
    let removal = Removal(&temporary);
    let result = write(&temporary)?;
    let sync = || OpenOptions::new().write(true).open(&temporary)?.sync_all();
    sync().map_err(FileError::at("write", &path))?;
    rename(&temporary, &path)?;
    std::mem::forget(removal);
    Ok(result)
}

/// Removes the temporary file however the writer was left, by a panic too.
struct Removal<'a>(&'a Path);

impl Drop for Removal<'_> {
    fn drop(&mut self) {
        // The error that led here is the one to report.
        let _ = fs::remove_file(self.0);
    }
}

/// Finds out before long work whether its result can be written. What is there
/// stays as it is.
pub fn can_be_written(path: &Path) -> Result<(), FileError> {
    let (beside, _) = create_beside(&target(path)?, "tmp")?;
    fs::remove_file(&beside).map_err(FileError::at("remove", &beside))
}

/// The file that a path stands for, links followed, if it can be replaced:
/// renaming over a device, such as `/dev/null`, would destroy it.
pub fn target(path: &Path) -> Result<PathBuf, FileError> {
    let refuse = |reason: &str| Err(FileError::at("write", path)(io::Error::other(reason)));
    match fs::metadata(path) {
        Ok(found) if found.is_file() => fs::canonicalize(path).map_err(FileError::at("find", path)),
        Ok(found) if found.is_dir() => refuse("it is a folder, and a file's name is needed"),
        Ok(_) => refuse("it is no regular file"),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(path.to_owned()),
        Err(error) => Err(FileError::at("find", path)(error)),
    }
}

/// Creates an empty file beside another: `FILE.suffix`, or, where an earlier run
/// left one or another is writing it, `FILE.2.suffix` and so on.
pub fn create_beside(path: &Path, suffix: &str) -> Result<(PathBuf, File), FileError> {
    let mut number = 1u64;
    loop {
        let mut name = path.as_os_str().to_owned();
        match number {
            1 => name.push(format!(".{suffix}")),
            _ => name.push(format!(".{number}.{suffix}")),
        }
        let beside = PathBuf::from(name);
        // Whoever creates a name owns it: two runs never write one file.
        match OpenOptions::new().write(true).create_new(true).open(&beside) {
            Ok(file) => return Ok((beside, file)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(FileError::at("create", &beside)(error)),
        }
    }
}

/// Renames a synced file to its final name, for good: the folder is synced too.
pub fn rename(from: &Path, to: &Path) -> Result<(), FileError> {
    fs::rename(from, to).map_err(FileError::at("replace", to))?;
    // Windows syncs no folders.
    #[cfg(unix)]
    {
        let folder = match to.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        };
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
    fn a_replaced_file_holds_the_new_text_and_leaves_nothing_beside() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.model");
        for text in ["first, the longer", "second"] {
            replace(&path, |file| file.write_all(text.as_bytes())).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(names(folder.path()), ["a.model"]);
    }

    #[test]
    fn a_failure_leaves_the_old_file_and_names_it() {
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
            replace(&path, |_| -> io::Result<()> { panic!("the learner's own fault") })
        }));
        assert!(panicked.is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "good");
        assert_eq!(names(folder.path()), ["a.model"]);
    }

    #[test]
    fn a_missing_folder_a_folder_and_a_device_are_refused_by_name() {
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
    fn finding_out_whether_it_can_be_written_leaves_all_as_it_was() {
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
    fn a_link_stays_a_link_and_its_file_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        fs::write(&real, "old").unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        replace(&link, |file| file.write_all(b"new")).unwrap();
        assert_eq!(fs::read_to_string(&real).unwrap(), "new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    }

    #[test]
    fn a_name_that_is_taken_beside_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.rec");
        fs::write(folder.path().join("a.rec.partial"), "kept").unwrap();
        let (beside, _) = create_beside(&path, "partial").unwrap();
        assert_eq!(beside.file_name().unwrap(), "a.rec.2.partial");
        assert_eq!(fs::read_to_string(folder.path().join("a.rec.partial")).unwrap(), "kept");
    }
}
