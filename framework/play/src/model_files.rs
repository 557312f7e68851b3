//! The model files that a result depends on, with checksums, so that a replaced file is noticed.

use crate::failure::Failure;
use crate::learners;
use crate::models;
use runner_core::Spec;
use runner_files::Difference;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::PathBuf;

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
            let (size, checksum) = models::size_and_checksum(&file)?;
            Ok(Self { file, size, checksum: format!("{checksum:08x}") })
        };
        files.into_iter().map(read).collect()
    }

    /// Describes the first of the files `before` that has other contents in `now`.
    pub fn replaced(before: &[Self], now: &[Self]) -> Option<Difference> {
        before.iter().find_map(|old| {
            let new = now.iter().find(|new| new.file == old.file).filter(|new| *new != old)?;
            let what = format!(
                "its model {} was replaced: it had {} bytes and the checksum {}, and now has {} \
                 and {}",
                old.file.display(),
                old.size,
                old.checksum,
                new.size,
                new.checksum
            );
            Some(Difference::with_remedy(what, "restore the file"))
        })
    }
}
