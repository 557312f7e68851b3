//! The partial files of runs that did not finish.

use crate::reader::{ReadError, ReadErrorKind, RecordReader};
use runner_files::{self as files, FileError};
use std::path::{Path, PathBuf};

/// The suffix of a file whose games are still being played.
pub(crate) const SUFFIX: &str = "partial";

/// Returns the partial files of a record whose runs have ended and left games in them.
pub fn unfinished(path: &Path) -> Result<Vec<PathBuf>, FileError> {
    let mut partial = files::abandoned(&files::target(path)?, SUFFIX);
    partial.retain(|file| has_games(file) == Some(true));
    Ok(partial)
}

/// Removes the partial files of a record that hold no games.
pub(crate) fn remove_empty(path: &Path) {
    for file in files::abandoned(path, SUFFIX) {
        if has_games(&file) == Some(false) {
            files::remove_if_abandoned(&file);
        }
    }
}

/// Returns whether a partial file holds a game; `None` if the file was not written by a
/// [`RecordWriter`](crate::RecordWriter).
pub(crate) fn has_games(file: &Path) -> Option<bool> {
    match RecordReader::open(file) {
        Ok(mut reader) => Some(reader.next()?.is_ok()),
        Err(ReadError { problem: ReadErrorKind::Truncated, .. }) => Some(false),
        // The run was killed before it wrote the header.
        Err(_) => std::fs::metadata(file).is_ok_and(|file| file.len() == 0).then_some(false),
    }
}

/// Returns the name of the record that a partial file was to become.
pub fn target_of(partial: &Path) -> Option<PathBuf> {
    let numbered = partial.file_name()?.to_str()?.strip_suffix(SUFFIX)?.strip_suffix('.')?;
    let name = match numbered.rsplit_once('.') {
        Some((name, number)) if number.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => numbered,
    };
    Some(partial.with_file_name(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_record_of_a_partial_file_is_known_by_its_name() {
        for (partial, target) in [
            ("a/b.rec.partial", Some("a/b.rec")),
            ("a/b.rec.12.partial", Some("a/b.rec")),
            ("b.partial", Some("b")),
            ("b.rec", None),
            ("partial", None),
        ] {
            assert_eq!(
                target_of(Path::new(partial)).as_deref(),
                target.map(Path::new),
                "{partial}"
            );
        }
    }
}
