//! The model files that a result depends on, with checksums, so that a replaced file is noticed.

use crate::failure::Failure;
use crate::learners;
use runner_core::Spec;
use runner_files::FileError;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

/// A model file with its size and checksum.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelFile {
    /// Path, as in the spec of an agent.
    file: PathBuf,
    /// Size in bytes.
    size: u64,
    /// CRC-32 of all bytes, in hexadecimal.
    checksum: String,
}

impl ModelFile {
    /// Reads all model files that specs name, nested specs included. The files are sorted.
    pub fn of_specs<'a>(specs: impl Iterator<Item = &'a Spec>) -> Result<Vec<Self>, Failure> {
        let files = specs.flat_map(learners::model_files);
        // A plugin may call something else its model.
        let files: BTreeSet<_> = files.filter(|file| file.is_file()).collect();
        let read = |file: PathBuf| {
            let (size, checksum) = size_and_checksum(&file)?;
            Ok(Self { file, size, checksum: format!("{checksum:08x}") })
        };
        files.into_iter().map(read).collect()
    }

    /// Describes the first of the files `before` that has other contents in `now`.
    pub fn replaced(before: &[Self], now: &[Self]) -> Option<String> {
        before.iter().find_map(|old| {
            let new = now.iter().find(|new| new.file == old.file).filter(|new| *new != old)?;
            Some(format!(
                "its model {} was replaced: it had {} bytes and the checksum {}, and now has {} \
                 and {} (restore the file to continue)",
                old.file.display(),
                old.size,
                old.checksum,
                new.size,
                new.checksum
            ))
        })
    }
}

/// Returns the size of a file in bytes, and the CRC-32 of all of them.
fn size_and_checksum(path: &Path) -> Result<(u64, u32), FileError> {
    let file = runner_files::open(path)?;
    let mut reader = BufReader::with_capacity(1 << 20, file);
    let mut checksum = crc32fast::Hasher::new();
    let mut size = 0;
    loop {
        let bytes = reader.fill_buf().map_err(FileError::at("read", path))?;
        if bytes.is_empty() {
            return Ok((size, checksum.finalize()));
        }
        checksum.update(bytes);
        size += bytes.len() as u64;
        let read = bytes.len();
        reader.consume(read);
    }
}
