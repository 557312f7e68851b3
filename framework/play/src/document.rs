//! Reads the configuration files that users write in RON.

use crate::failure::Failure;
use runner_files::FileError;
use runner_spec::{SpecError, read_document};
use serde::de::DeserializeOwned;
use std::io::Read;
use std::path::Path;

/// The largest configuration file, in bytes. A file without an end, such as a
/// device, would be read for ever.
const MAX_FILE_SIZE: u64 = 1 << 20;

pub fn read_file<T: DeserializeOwned>(path: &Path) -> Result<T, Failure> {
    parse_file(path, read_document)
}

/// Reads a configuration file by another function than [`read_document`].
pub fn parse_file<T>(
    path: &Path,
    parse: impl FnOnce(&str) -> Result<T, SpecError>,
) -> Result<T, Failure> {
    let refuse =
        |why| Failure::usage(format!("{}: not a configuration file: {why}", path.display()));
    let mut bytes = Vec::new();
    let file = runner_files::open(path).map_err(Failure::usage)?;
    let read = file.take(MAX_FILE_SIZE + 1).read_to_end(&mut bytes);
    read.map_err(|error| Failure::usage(FileError::at("read", path)(error)))?;
    if bytes.len() as u64 > MAX_FILE_SIZE {
        return Err(refuse("it is larger than 1 MiB"));
    }
    let text = String::from_utf8(bytes).map_err(|_| refuse("it is not valid UTF-8"))?;
    parse(&text).map_err(|error| Failure::from(error).of(&path.display().to_string()))
}
