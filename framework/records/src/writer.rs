//! Writes a record file. It grows as `FILE.partial` and is renamed at the end, so a failed run
//! leaves an older file as it was. When the disk is full, the partial file is cut back to
//! complete games and kept; so is that of a run that was killed.

use crate::Block;
use crate::metadata::{FORMAT, MAGIC, Metadata};
use crate::partial::{SUFFIX, remove_empty};
use runner_files::{self as files, FileError};
use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

#[derive(Debug)]
pub struct RecordWriter {
    blocks: BlockWriter<File>,
    path: PathBuf,
    partial: PathBuf,
    /// Partial files of other runs, which this record replaces.
    replaced: Vec<PathBuf>,
    finished: bool,
}

#[derive(Debug, thiserror::Error)]
#[error("{cause}{}", self.kept_games())]
pub struct WriteError {
    #[source]
    pub cause: FileError,
    /// Number of the games that were saved, and the file that holds them.
    pub kept: Option<(u64, PathBuf)>,
}

impl RecordWriter {
    /// Creates `FILE.partial`. A file at `path` stays until [`finish`](Self::finish).
    pub fn create(path: &Path, metadata: &Metadata) -> Result<Self, WriteError> {
        let unkept = |cause| WriteError { cause, kept: None };
        let path = files::target(path).map_err(unkept)?;
        remove_empty(&path);
        let (partial, file) = files::create_beside(&path, SUFFIX).map_err(unkept)?;
        match BlockWriter::new(file, metadata) {
            Ok(blocks) => Ok(Self { blocks, path, partial, replaced: Vec::new(), finished: false }),
            Err(error) => {
                // The first error is reported.
                let _ = files::remove(&partial);
                Err(unkept(FileError::at("write", &path)(error)))
            }
        }
    }

    /// Removes the partial files of earlier runs when the record is complete.
    #[must_use]
    pub fn replacing(mut self, replaced: Vec<PathBuf>) -> Self {
        self.replaced = replaced;
        self
    }

    /// Writes the buffered games to the file: a run that is killed keeps them.
    pub fn flush(&mut self) -> Result<(), WriteError> {
        let flushed = self.blocks.usable().and_then(|()| self.blocks.flush());
        flushed.map_err(|error| self.failed(error))
    }

    /// Writes a game. After an error nothing more can be written.
    pub fn write(&mut self, block: &Block) -> Result<(), WriteError> {
        self.blocks.write(block).map_err(|error| self.failed(error))
    }

    /// Completes the file, syncs it and renames it. Otherwise the games stay in the partial file.
    pub fn finish(mut self) -> Result<(), WriteError> {
        self.blocks.finish().map_err(|error| self.failed(error))?;
        files::rename(&self.partial, &self.path)
            .map_err(|cause| WriteError { cause, kept: self.kept() })?;
        self.finished = true;
        self.replaced.iter().for_each(|file| files::remove_if_abandoned(file));
        Ok(())
    }

    #[cold]
    fn failed(&self, error: io::Error) -> WriteError {
        WriteError { cause: FileError::at("write", &self.path)(error), kept: self.kept() }
    }

    fn kept(&self) -> Option<(u64, PathBuf)> {
        let games = self.blocks.games;
        (games > 0).then(|| (games, self.partial.clone()))
    }
}

impl Drop for RecordWriter {
    /// Removes a partial file without games.
    fn drop(&mut self) {
        if !self.finished && self.blocks.games == 0 && self.blocks.ends.is_empty() {
            let _ = files::remove(&self.partial);
        }
    }
}

impl WriteError {
    fn kept_games(&self) -> String {
        match &self.kept {
            Some((1, path)) => format!("; the first game is kept in {}", path.display()),
            Some((n, path)) => format!("; the first {n} games are kept in {}", path.display()),
            None => String::new(),
        }
    }
}

/// What blocks are written to: a file, or in tests a disk that fills up.
trait Storage: Write {
    /// Removes everything after the first `length` bytes.
    fn truncate(&mut self, length: u64) -> io::Result<()>;
    fn sync(&mut self) -> io::Result<()>;
}

impl Storage for File {
    fn truncate(&mut self, length: u64) -> io::Result<()> {
        self.set_len(length)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.sync_all()
    }
}

const BUFFER: usize = 1 << 16;

/// Writes header, blocks and end through a buffer that knows where blocks end: `BufWriter` does
/// not report how much it had written when it failed.
#[derive(Debug)]
struct BlockWriter<S: Storage> {
    storage: S,
    buffer: Vec<u8>,
    /// Ends of the blocks in the buffer.
    ends: Vec<usize>,
    /// Length of the storage up to its last complete block, in bytes.
    whole: u64,
    games: u64,
    failed: bool,
}

impl<S: Storage> BlockWriter<S> {
    fn new(storage: S, metadata: &Metadata) -> io::Result<Self> {
        let metadata = ron::to_string(metadata).map_err(io::Error::other)?;
        let length = u32::try_from(metadata.len()).map_err(io::Error::other)?;
        let mut buffer = MAGIC.to_vec();
        buffer.extend(FORMAT.to_le_bytes());
        buffer.extend(length.to_le_bytes());
        buffer.extend(metadata.as_bytes());
        buffer.extend(crc32fast::hash(&buffer).to_le_bytes());
        let ends = Vec::new();
        let mut writer = Self { storage, buffer, ends, whole: 0, games: 0, failed: false };
        // Written at once, so that a partial file can be identified.
        writer.flush()?;
        Ok(writer)
    }

    fn write(&mut self, block: &Block) -> io::Result<()> {
        self.usable()?;
        self.buffer.extend(block.bytes());
        self.ends.push(self.buffer.len());
        if self.buffer.len() >= BUFFER { self.flush() } else { Ok(()) }
    }

    fn finish(&mut self) -> io::Result<()> {
        self.usable()?;
        self.flush()?;
        let mut end = [0; 16];
        end[4..12].copy_from_slice(&self.games.to_le_bytes());
        let checksum = crc32fast::hash(&end[..12]);
        end[12..].copy_from_slice(&checksum.to_le_bytes());
        self.buffer.extend(end);
        self.flush()?;
        self.storage.sync()
    }

    fn usable(&self) -> io::Result<()> {
        if self.failed {
            return Err(io::Error::other("an earlier write failed"));
        }
        Ok(())
    }

    /// Writes the buffer. If that fails, the storage is cut back to its last complete block.
    fn flush(&mut self) -> io::Result<()> {
        let mut written = 0;
        let result = loop {
            if written == self.buffer.len() {
                break self.storage.flush();
            }
            match self.storage.write(&self.buffer[written..]) {
                Ok(0) => break Err(ErrorKind::WriteZero.into()),
                Ok(n) => written += n,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => break Err(error),
            }
        };
        let blocks = self.ends.partition_point(|&end| end <= written);
        self.games += blocks as u64;
        if result.is_err() {
            self.failed = true;
            self.whole += blocks.checked_sub(1).map_or(0, |last| self.ends[last]) as u64;
            // If this fails too, the reader stops at the incomplete block.
            let _ = self.storage.truncate(self.whole).and_then(|()| self.storage.sync());
        } else {
            self.whole += written as u64;
        }
        self.buffer.clear();
        self.ends.clear();
        result
    }
}

impl<S: Storage> Drop for BlockWriter<S> {
    /// Writes the buffered games of a run that ends early.
    fn drop(&mut self) {
        if !self.failed {
            let _ = self.flush();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ReadErrorKind, RecordReader, unfinished};
    use super::*;
    use crate::tests::{blocks, metadata};
    use std::fs;

    /// A disk of limited size that writes a few bytes at a time.
    struct Disk<'a> {
        data: &'a mut Vec<u8>,
        room: usize,
    }

    impl Write for Disk<'_> {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let n = bytes.len().min(7).min(self.room - self.data.len());
            if n == 0 {
                return Err(ErrorKind::StorageFull.into());
            }
            self.data.extend(&bytes[..n]);
            Ok(n)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Storage for Disk<'_> {
        fn truncate(&mut self, length: u64) -> io::Result<()> {
            self.data.truncate(length as usize);
            Ok(())
        }

        fn sync(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn write(disk: Disk<'_>, blocks: &[Block]) -> io::Result<()> {
        let mut writer = BlockWriter::new(disk, &metadata())?;
        blocks.iter().try_for_each(|block| writer.write(block))?;
        writer.finish()
    }

    #[test]
    fn full_disk_at_any_byte_keeps_the_complete_games() {
        let blocks = blocks(5);
        let mut whole = Vec::new();
        write(Disk { data: &mut whole, room: usize::MAX }, &blocks).unwrap();
        let lengths = blocks.iter().map(|block| block.bytes().len());
        let header = whole.len() - 16 - lengths.clone().sum::<usize>();
        for room in 0..whole.len() {
            let mut data = Vec::new();
            let error = write(Disk { data: &mut data, room }, &blocks).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::StorageFull);
            if room < header {
                assert!(data.is_empty());
                continue;
            }
            let mut end = header;
            let fit = lengths.clone().take_while(|length| {
                end += length;
                end <= room
            });
            let fit = fit.count();
            let mut games: Vec<_> = RecordReader::new(&data[..], "full").unwrap().collect();
            let last = games.pop().unwrap().unwrap_err();
            assert!(matches!(last.problem, ReadErrorKind::Unfinished), "{last}");
            assert_eq!(games.len(), fit, "room for {room} bytes");
            assert!(games.iter().all(Result::is_ok));
        }
    }

    #[test]
    fn nothing_is_written_after_a_failure() {
        let blocks = blocks(3);
        let mut data = Vec::new();
        let mut writer =
            BlockWriter::new(Disk { data: &mut data, room: 350 }, &metadata()).unwrap();
        let failed = std::iter::repeat(&blocks[0]).find_map(|block| writer.write(block).err());
        assert_eq!(failed.unwrap().kind(), ErrorKind::StorageFull);
        writer.storage.room = usize::MAX;
        assert!(writer.write(&blocks[1]).is_err());
        assert!(writer.finish().is_err());
        let whole = writer.whole as usize;
        drop(writer);
        assert_eq!(data.len(), whole);
    }

    #[test]
    fn file_is_renamed_when_it_is_finished() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.rec");
        fs::write(&path, "a good file of earlier").unwrap();
        #[cfg(unix)]
        let mode = || {
            use std::os::unix::fs::PermissionsExt;
            fs::metadata(&path).unwrap().permissions().mode() & 0o777
        };
        #[cfg(unix)]
        fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
        let mut writer = RecordWriter::create(&path, &metadata()).unwrap();
        blocks(3).iter().for_each(|block| writer.write(block).unwrap());
        let partial = writer.partial.clone();
        assert_eq!(fs::read_to_string(&path).unwrap(), "a good file of earlier");
        writer.finish().unwrap();
        assert!(!partial.exists());
        #[cfg(unix)]
        assert_eq!(mode(), 0o600, "the new file has the permissions of the old one");
        let reader = RecordReader::open(&path).unwrap();
        assert_eq!(reader.metadata(), &metadata());
        let numbers: Vec<_> = reader.map(|game| game.unwrap().number).collect();
        assert_eq!(numbers, [0, 1, 2]);
    }

    #[test]
    fn unfinished_file_keeps_its_games_in_the_partial_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.rec");
        fs::write(&path, "good").unwrap();
        let mut writer = RecordWriter::create(&path, &metadata()).unwrap();
        blocks(3).iter().for_each(|block| writer.write(block).unwrap());
        let partial = writer.partial.clone();
        drop(writer);
        assert_eq!(fs::read_to_string(&path).unwrap(), "good");
        let games: Vec<_> = RecordReader::open(&partial).unwrap().collect();
        assert_eq!(games.iter().filter(|game| game.is_ok()).count(), 3);
        let last = games.last().unwrap().as_ref().unwrap_err().to_string();
        assert!(last.contains("games.rec.partial") && last.contains("did not finish"), "{last}");
    }

    #[cfg(unix)]
    #[test]
    fn games_of_killed_runs_are_kept_until_they_are_replaced_on_request() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.rec");
        let write = || {
            let mut writer = RecordWriter::create(&path, &metadata()).unwrap();
            blocks(3).iter().for_each(|block| writer.write(block).unwrap());
            writer
        };
        drop(write());
        fs::write(folder.path().join("games.rec.7.partial"), "a text of the user").unwrap();
        fs::write(folder.path().join("games.rec.8.partial"), "").unwrap();
        let (running, next) = (write(), write());
        next.finish().unwrap();
        let names = || {
            let files = fs::read_dir(folder.path()).unwrap();
            let mut names: Vec<_> = files.map(|entry| entry.unwrap().file_name()).collect();
            names.sort();
            names
        };
        let killed = folder.path().join("games.rec.partial");
        assert_eq!(unfinished(&path).unwrap(), [&*killed]);
        let others = ["games.rec", "games.rec.2.partial", "games.rec.7.partial"];
        assert_eq!(names(), [&others[..], &["games.rec.partial"]].concat());
        write().replacing(unfinished(&path).unwrap()).finish().unwrap();
        assert_eq!(names(), others);
        drop(running);
    }

    #[test]
    fn failure_names_the_kept_games_and_their_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.rec");
        let mut writer = RecordWriter::create(&path, &metadata()).unwrap();
        writer.blocks.games = 12;
        let message = writer.failed(ErrorKind::StorageFull.into()).to_string();
        for part in ["cannot write", "games.rec:", "free some space", "12 games", ".rec.partial"] {
            assert!(message.contains(part), "{message}");
        }
        writer.blocks.games = 0;
        assert!(writer.failed(ErrorKind::StorageFull.into()).kept.is_none());
    }

    #[test]
    fn file_without_games_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let writer = RecordWriter::create(&folder.path().join("games.rec"), &metadata()).unwrap();
        assert!(writer.partial.exists());
        drop(writer);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
