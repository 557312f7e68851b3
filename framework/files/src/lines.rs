//! Files of lines that grow: a JSON object for each part of a work that is finished.
//!
//! A line counts once it is written to its end. A last line that cannot be read is that of a writer
//! that was killed, and the next writer cuts it off.

use crate::error::FileError;
use crate::lock::{FileLock, LockError};
use crate::replace::replace;
use serde::{Deserialize, Serialize};
use std::fmt::Display;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::marker::PhantomData;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Time after which lines are on the disk.
const SYNC: Duration = Duration::from_secs(10);

/// A line that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{}: line {number} is damaged: {why}; remove the line to repeat what it holds", path.display())]
pub struct LineError {
    path: PathBuf,
    /// Number of the line, from 1.
    number: usize,
    why: String,
}

/// The lines of a file.
#[derive(Debug)]
pub struct Lines {
    path: PathBuf,
    bytes: Vec<u8>,
}

impl Lines {
    pub fn read(path: &Path) -> Result<Self, FileError> {
        let bytes = fs::read(path).map_err(FileError::at("read", path))?;
        Ok(Self { path: path.to_owned(), bytes })
    }

    /// Reads a file. A missing file has no lines.
    pub fn read_if_exists(path: &Path) -> Result<Self, FileError> {
        match Self::read(path) {
            Err(error) if error.source.kind() == ErrorKind::NotFound => {
                Ok(Self { path: path.to_owned(), bytes: Vec::new() })
            }
            read => read,
        }
    }

    /// Length of the file in bytes.
    pub fn length(&self) -> usize {
        self.bytes.len()
    }

    /// Iterates over the objects of all lines.
    pub fn objects<'a, T: Deserialize<'a>>(&'a self) -> Objects<'a, T> {
        Objects { lines: self, range: 0..0, number: 0, kind: PhantomData }
    }

    /// Returns the error of a line whose object is wrong.
    pub fn refuse(&self, number: usize, why: impl Display) -> LineError {
        LineError { path: self.path.clone(), number, why: why.to_string() }
    }
}

/// An iterator over the objects of lines, with the numbers of the lines. It ends before a last line
/// that was not written to its end. A file that does not begin with an object is another kind of
/// file.
#[derive(Debug)]
pub struct Objects<'a, T> {
    lines: &'a Lines,
    /// The place of those that were read.
    range: Range<usize>,
    number: usize,
    kind: PhantomData<T>,
}

impl<'a, T> Objects<'a, T> {
    /// Continues with objects of another kind.
    pub fn followed_by<U: Deserialize<'a>>(self) -> Objects<'a, U> {
        let Self { lines, range, number, .. } = self;
        Objects { lines, range: range.end..range.end, number, kind: PhantomData }
    }

    /// Returns the place in the file of the lines that were read.
    pub fn range(&self) -> Range<usize> {
        self.range.clone()
    }
}

impl<'a, T: Deserialize<'a>> Iterator for Objects<'a, T> {
    type Item = Result<(usize, T), LineError>;

    fn next(&mut self) -> Option<Self::Item> {
        let rest = &self.lines.bytes[self.range.end..];
        let length = rest.iter().position(|&byte| byte == b'\n');
        let line = &rest[..length.unwrap_or(rest.len())];
        let may_be_incomplete = self.number > 0 || line.is_empty() || line[0] == b'{';
        if length.is_none() && may_be_incomplete {
            return None;
        }
        self.number += 1;
        // The ends of lines are those of Windows if the file was edited there.
        match serde_json::from_slice(line.trim_ascii_end()) {
            Ok(object) => {
                self.range.end += line.len() + 1;
                Some(Ok((self.number, object)))
            }
            Err(_) if line.len() + 1 == rest.len() && self.number > 1 => None,
            Err(error) => {
                let text = error.to_string();
                // The text ends with a line number, which is always 1.
                let what = text.rsplit_once(" at line ").map_or(&*text, |(what, _)| what);
                let why = format!("{what} (column {})", error.column());
                Some(Err(self.lines.refuse(self.number, why)))
            }
        }
    }
}

/// A file of lines that is locked, and read but not changed.
pub struct LockedLines {
    pub lines: Lines,
    lock: FileLock,
}

impl LockedLines {
    /// Locks a file, which need not exist, and reads it.
    pub fn lock(path: &Path) -> Result<Self, LockError> {
        let lock = FileLock::acquire(path)?;
        Ok(Self { lines: Lines::read_if_exists(path)?, lock })
    }

    /// Opens the file for more lines behind its first `length` bytes.
    pub fn begin(self, length: usize) -> Result<LineFile, FileError> {
        let path = self.lines.path;
        let at = || FileError::at("write", &path);
        let file = OpenOptions::new().create(true).append(true).open(&path).map_err(at())?;
        file.set_len(length as u64).map_err(at())?;
        let (added, error, synced) = (Vec::new(), None, Instant::now());
        Ok(LineFile { path, file, added, error, synced, _lock: self.lock })
    }

    /// Replaces the file by one that begins with this object and has the lines at `kept`, and opens
    /// it for more.
    pub fn begin_with(
        self,
        first: &impl Serialize,
        kept: Range<usize>,
    ) -> Result<LineFile, FileError> {
        let mut text = Vec::new();
        replace(&self.lines.path, |file| {
            append(&mut text, first)?;
            text.extend_from_slice(&self.lines.bytes[kept]);
            file.write_all(&text)
        })?;
        self.begin(text.len())
    }
}

/// A locked file to which lines are appended.
pub struct LineFile {
    path: PathBuf,
    file: File,
    /// Lines that are not in the file yet.
    added: Vec<u8>,
    /// The first error. Nothing is written after it: the last line may be incomplete.
    error: Option<io::Error>,
    synced: Instant,
    _lock: FileLock,
}

impl LineFile {
    /// Adds an object. It is in the file after the next [`flush`](Self::flush).
    pub fn add(&mut self, object: &impl Serialize) {
        if self.error.is_none() {
            self.error = append(&mut self.added, object).err();
        }
    }

    /// Appends the lines that were added with a single write.
    pub fn flush(&mut self) -> Result<(), FileError> {
        self.write(self.synced.elapsed() >= SYNC)
    }

    /// Appends the lines that were added, and waits until all are on the disk.
    pub fn sync(&mut self) -> Result<(), FileError> {
        self.write(true)
    }

    fn write(&mut self, syncs: bool) -> Result<(), FileError> {
        if self.error.is_none() && !self.added.is_empty() {
            self.error = self.file.write_all(&self.added).err();
            self.added.clear();
        }
        if self.error.is_none() && syncs {
            self.error = self.file.sync_data().err();
            self.synced = Instant::now();
        }
        match &self.error {
            None => Ok(()),
            Some(error) => {
                let error = io::Error::new(error.kind(), error.to_string());
                Err(FileError::at("write", &self.path)(error))
            }
        }
    }
}

/// Appends an object as a line.
fn append(text: &mut Vec<u8>, object: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *text, object)?;
    text.push(b'\n');
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<(Vec<u32>, usize), String> {
        let lines = Lines { path: "a.jsonl".into(), bytes: text.into() };
        let mut objects = lines.objects();
        let read: Result<Vec<_>, _> = (&mut objects).map(|line| Ok(line?.1)).collect();
        read.map(|read| (read, objects.range().end)).map_err(|error: LineError| error.to_string())
    }

    #[test]
    fn a_last_line_that_cannot_be_read_is_left_out_and_an_earlier_one_is_named() {
        assert_eq!(read(""), Ok((vec![], 0)));
        assert_eq!(read("12\r\n3\n"), Ok((vec![12, 3], 6)));
        for torn in ["4", "\"4", "4\"\n", "\0\0", "\0\n"] {
            assert_eq!(read(&format!("12\n3\n{torn}")), Ok((vec![12, 3], 5)), "{torn:?}");
        }
        assert_eq!(read("{\"torn"), Ok((vec![], 0)));
        for other in ["a shopping list", "a shopping list\n", "a shopping\nlist\n"] {
            let refused = read(other).unwrap_err();
            assert!(refused.starts_with("a.jsonl: line 1 is damaged: "), "{refused}");
        }
        let refused = read("12\n\"3\"\n4\n").unwrap_err();
        assert!(refused.starts_with("a.jsonl: line 2 is damaged: invalid type: "), "{refused}");
    }

    #[test]
    fn torn_line_is_cut_off_before_the_next_is_appended() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.jsonl");
        fs::write(&path, "12\n3").unwrap();
        let locked = LockedLines::lock(&path).unwrap();
        let mut objects = locked.lines.objects::<u32>();
        assert_eq!((&mut objects).count(), 1);
        let end = objects.range().end;
        assert_eq!(fs::read(&path).unwrap(), b"12\n3", "not before the first change");
        let mut file = locked.begin(end).unwrap();
        assert!(matches!(LockedLines::lock(&path), Err(LockError::InUse { .. })));
        file.add(&5);
        file.add(&6);
        file.sync().unwrap();
        drop(file);
        assert_eq!(fs::read(&path).unwrap(), b"12\n5\n6\n");
        let mut file = LockedLines::lock(&path).unwrap().begin_with(&"first", 3..5).unwrap();
        file.add(&7);
        file.flush().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"\"first\"\n5\n7\n");
    }
}
