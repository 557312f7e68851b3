//! Access to files by path, with errors that name the file. Other crates use these functions
//! instead of `std::fs`, whose errors do not.

use crate::FileError;
use std::fs::{self, File, OpenOptions};
use std::io::ErrorKind;
use std::path::Path;

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

/// Returns true if a folder does not exist or has nothing in it.
pub fn is_empty_folder(path: &Path) -> Result<bool, FileError> {
    match fs::read_dir(path).and_then(|mut entries| entries.next().transpose()) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(true),
        first => Ok(first.map_err(FileError::at("read", path))?.is_none()),
    }
}

pub fn create_folder(path: &Path) -> Result<(), FileError> {
    fs::create_dir_all(path).map_err(FileError::at("create", path))
}

pub fn remove(path: &Path) -> Result<(), FileError> {
    fs::remove_file(path).map_err(FileError::at("remove", path))
}
