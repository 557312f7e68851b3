//! Writes a record file, which grows game by game: a run that is killed leaves its games, and
//! another one continues the file. When the disk is full, the file is cut back to complete games.

use crate::Block;
use crate::metadata::{FORMAT, MAGIC, Metadata};
use runner_files::{self as files, FileError, FileLock, LockError, can_be_written};
use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// A record that is written, and locked against other runs.
#[derive(Debug)]
pub struct RecordWriter {
    path: PathBuf,
    metadata: Metadata,
    /// `None` before the first game: until then a file at `path` stays.
    blocks: Option<BlockWriter<File>>,
    _lock: FileLock,
}

#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    #[error("{cause}{}", kept_games(*.kept))]
    File {
        #[source]
        cause: FileError,
        /// Number of games that the file has.
        kept: u64,
    },
    #[error(transparent)]
    Lock(#[from] LockError),
}

/// The end of the complete games of a record.
#[derive(Clone, Copy, Debug)]
pub struct RecordEnd {
    /// Length of the file up to it, in bytes.
    pub length: u64,
    pub games: u64,
}

impl RecordWriter {
    /// Begins a record in place of a file at `path`.
    pub fn create(path: &Path, metadata: &Metadata) -> Result<Self, WriteError> {
        can_be_written(path).map_err(|cause| WriteError::File { cause, kept: 0 })?;
        let lock = FileLock::acquire(path)?;
        let (path, metadata) = (path.to_owned(), metadata.clone());
        Ok(Self { path, metadata, blocks: None, _lock: lock })
    }

    /// Continues a record behind its complete games. The rest is cut off.
    pub fn resume(
        path: &Path,
        metadata: &Metadata,
        end: RecordEnd,
        lock: FileLock,
    ) -> Result<Self, WriteError> {
        let failed = |cause| WriteError::File { cause, kept: end.games };
        let file = files::append(path).map_err(failed)?;
        file.set_len(end.length).map_err(FileError::at("write", path)).map_err(failed)?;
        let (path, metadata) = (path.to_owned(), metadata.clone());
        let blocks = Some(BlockWriter::continued(file, end));
        Ok(Self { path, metadata, blocks, _lock: lock })
    }

    /// Writes the buffered games to the file: a run that is killed keeps them.
    pub fn flush(&mut self) -> Result<(), WriteError> {
        let Some(blocks) = &mut self.blocks else { return Ok(()) };
        let flushed = blocks.usable().and_then(|()| blocks.flush());
        flushed.map_err(|error| self.failed(error))
    }

    /// Writes a game. After an error nothing more can be written.
    pub fn write(&mut self, block: &Block) -> Result<(), WriteError> {
        let written = self.blocks()?.write(block);
        written.map_err(|error| self.failed(error))
    }

    /// Completes the file, and waits until it is on the disk.
    pub fn finish(mut self) -> Result<(), WriteError> {
        let finished = self.blocks()?.finish();
        finished.map_err(|error| self.failed(error))
    }

    /// Returns the writer of games, and begins the file with the first one.
    fn blocks(&mut self) -> Result<&mut BlockWriter<File>, WriteError> {
        if self.blocks.is_none() {
            let file =
                files::create(&self.path).map_err(|cause| WriteError::File { cause, kept: 0 })?;
            let begun = BlockWriter::new(file, &self.metadata);
            self.blocks = Some(begun.map_err(|error| self.failed(error))?);
        }
        Ok(self.blocks.as_mut().expect("it was begun"))
    }

    #[cold]
    fn failed(&self, error: io::Error) -> WriteError {
        let kept = self.blocks.as_ref().map_or(0, |blocks| blocks.end.games);
        WriteError::File { cause: FileError::at("write", &self.path)(error), kept }
    }
}

fn kept_games(kept: u64) -> String {
    match kept {
        0 => String::new(),
        1 => "; it has the first game".into(),
        n => format!("; it has the first {n} games"),
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
    /// The end of the last complete block in the storage.
    end: RecordEnd,
    failed: bool,
}

impl<S: Storage> BlockWriter<S> {
    fn new(storage: S, metadata: &Metadata) -> io::Result<Self> {
        let metadata = ron::to_string(metadata).map_err(io::Error::other)?;
        let length = u32::try_from(metadata.len()).map_err(io::Error::other)?;
        let mut header = MAGIC.to_vec();
        header.extend(FORMAT.to_le_bytes());
        header.extend(length.to_le_bytes());
        header.extend(metadata.as_bytes());
        header.extend(crc32fast::hash(&header).to_le_bytes());
        let mut writer = Self::continued(storage, RecordEnd { length: 0, games: 0 });
        writer.buffer = header;
        // Written at once: a run that is killed leaves a record.
        writer.flush()?;
        Ok(writer)
    }

    /// Returns the writer of a file that has these games.
    fn continued(storage: S, end: RecordEnd) -> Self {
        Self { storage, buffer: Vec::new(), ends: Vec::new(), end, failed: false }
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
        end[4..12].copy_from_slice(&self.end.games.to_le_bytes());
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
        self.end.games += blocks as u64;
        if result.is_err() {
            self.failed = true;
            self.end.length += self.ends[..blocks].last().copied().unwrap_or(0) as u64;
            // If this fails too, the reader stops at the incomplete block.
            let _ = self.storage.truncate(self.end.length).and_then(|()| self.storage.sync());
        } else {
            self.end.length += written as u64;
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
    use super::super::{ReadErrorKind, RecordReader};
    use super::*;
    use crate::tests::{blocks, file, metadata};
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
        let whole = writer.end.length as usize;
        drop(writer);
        assert_eq!(data.len(), whole);
    }

    #[test]
    fn file_is_begun_with_its_first_game_and_grows() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.rec");
        fs::write(&path, "a good file of earlier").unwrap();
        let mut writer = RecordWriter::create(&path, &metadata()).unwrap();
        writer.flush().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "a good file of earlier");
        let second = RecordWriter::create(&path, &metadata()).unwrap_err().to_string();
        assert!(second.contains("games.rec is in use"), "{second}");
        blocks(3).iter().for_each(|block| writer.write(block).unwrap());
        writer.flush().unwrap();
        let games: Vec<_> = RecordReader::open(&path).unwrap().collect();
        assert_eq!(games.iter().filter(|game| game.is_ok()).count(), 3);
        let last = games.last().unwrap().as_ref().unwrap_err().to_string();
        assert!(last.contains("games.rec") && last.contains("did not finish"), "{last}");
        writer.finish().unwrap();
        let reader = RecordReader::open(&path).unwrap();
        assert_eq!(reader.metadata(), &metadata());
        let numbers: Vec<_> = reader.map(|game| game.unwrap().number).collect();
        assert_eq!(numbers, [0, 1, 2]);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    /// A run may be killed at any byte, and after the end.
    #[test]
    fn a_file_that_ends_at_any_byte_is_continued_to_the_same_record() {
        let whole = file(3);
        let blocks = blocks(3);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.rec");
        for length in file(0).len() - 16..=whole.len() {
            fs::write(&path, &whole[..length]).unwrap();
            let lock = FileLock::acquire(&path).unwrap();
            let mut reader = RecordReader::open(&path).unwrap();
            let last = reader.find_map(Result::err);
            assert!(last.is_none_or(|last| last.lacks_end()), "{length}");
            let end = reader.end();
            let mut writer = RecordWriter::resume(&path, &metadata(), end, lock).unwrap();
            for block in &blocks[end.games as usize..] {
                writer.write(block).unwrap();
            }
            writer.finish().unwrap();
            assert!(fs::read(&path).unwrap() == whole, "{length}");
        }
    }
}
