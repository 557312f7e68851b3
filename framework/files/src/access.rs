//! Access to files by path, with errors that name the file. Other crates use these functions
//! instead of `std::fs`, whose errors do not.

use crate::FileError;
use std::fs::{self, File, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

pub fn read(path: &Path) -> Result<Vec<u8>, FileError> {
    fs::read(path).map_err(FileError::at("read", path))
}

pub fn read_text(path: &Path) -> Result<String, FileError> {
    fs::read_to_string(path).map_err(FileError::at("read", path))
}

pub fn open(path: &Path) -> Result<File, FileError> {
    File::open(path).map_err(FileError::at("read", path))
}

/// Creates a file, or empties it. A file that readers may see half-written is replaced instead, by
/// [`replace`](fn@crate::replace).
pub fn create(path: &Path) -> Result<File, FileError> {
    File::create(path).map_err(FileError::at("write", path))
}

/// Writes a whole file, as [`create`] does.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    fs::write(path, bytes).map_err(FileError::at("write", path))
}

/// Opens a file that exists, to write at its end.
pub fn append(path: &Path) -> Result<File, FileError> {
    OpenOptions::new().append(true).open(path).map_err(FileError::at("write", path))
}

/// Returns the paths in a folder, sorted; none if it does not exist.
pub fn paths_in(folder: &Path) -> Result<Vec<PathBuf>, FileError> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(FileError::at("read", folder))?,
    };
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    let mut paths = paths.collect::<Result<Vec<_>, _>>().map_err(FileError::at("read", folder))?;
    paths.sort();
    Ok(paths)
}

/// Removes a folder with everything in it, if it exists.
pub fn remove_folder(path: &Path) -> Result<(), FileError> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        removed => removed.map_err(FileError::at("remove", path)),
    }
}

pub fn create_folder(path: &Path) -> Result<(), FileError> {
    fs::create_dir_all(path).map_err(FileError::at("create", path))
}

pub fn remove(path: &Path) -> Result<(), FileError> {
    fs::remove_file(path).map_err(FileError::at("remove", path))
}
