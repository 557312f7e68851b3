//! Reads a record file one game at a time. Damage is an error with its position; the games
//! before it are valid.

use crate::GameRecord;
use crate::metadata::{FORMAT, MAGIC, Metadata};
use crate::writer::RecordEnd;
use runner_files as files;
use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

/// An iterator over the games of a record file, in file order. An error is its last item.
#[derive(Debug)]
pub struct RecordReader<R> {
    source: Source<R>,
    metadata: Metadata,
    /// The end of the games that were read.
    end: RecordEnd,
    over: bool,
}

#[derive(Debug, thiserror::Error)]
#[error("{}", self.message())]
pub struct RecordError {
    pub file: String,
    /// Offset of the block that cannot be read, in bytes.
    pub at: u64,
    /// Number of games before it.
    pub games: u64,
    pub problem: ReadErrorKind,
}

#[derive(Debug)]
pub enum ReadErrorKind {
    Io(io::Error),
    /// It is no record file.
    Foreign,
    Format(u32),
    /// It ends after a complete block, without its end mark: the run did not finish.
    Unfinished,
    /// It ends within a block or the header.
    Truncated,
    Damaged(String),
}

impl RecordReader<BufReader<File>> {
    pub fn open(path: &Path) -> Result<Self, RecordError> {
        let name = path.display().to_string();
        match files::open(path) {
            Ok(file) => Self::new(BufReader::new(file), &name),
            Err(error) => {
                let problem = ReadErrorKind::Io(error.source);
                Err(RecordError { file: name, at: 0, games: 0, problem })
            }
        }
    }
}

impl<R: Read> RecordReader<R> {
    /// Reads the header of a file that errors call `name`.
    pub fn new(input: R, name: &str) -> Result<Self, RecordError> {
        let mut source = Source { input, name: name.to_owned(), at: 0, buffer: Vec::new() };
        match header(&mut source) {
            Ok(metadata) => {
                let end = RecordEnd { length: source.at, games: 0 };
                Ok(Self { source, metadata, end, over: false })
            }
            Err(problem) => Err(RecordError { file: source.name, at: 0, games: 0, problem }),
        }
    }

    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// Returns the end of the games that were read.
    pub fn end(&self) -> RecordEnd {
        self.end
    }

    pub fn name(&self) -> &str {
        &self.source.name
    }

    /// Reads the next block; `None` at the end mark.
    fn block(&mut self) -> Result<Option<GameRecord>, ReadErrorKind> {
        let Some(length) = self.source.u32_or_end()? else {
            return Err(ReadErrorKind::Unfinished);
        };
        if length == 0 {
            self.end_mark()?;
            return Ok(None);
        }
        if !GameRecord::is_length(length as usize) {
            return Err(damaged("a block has an impossible length"));
        }
        let body = self.source.checked(&length.to_le_bytes(), length as usize)?;
        let record = GameRecord::from_body(body).map_err(damaged)?;
        Ok(Some(GameRecord { starts: self.metadata.starts, ..record }))
    }

    fn end_mark(&mut self) -> Result<(), ReadErrorKind> {
        let games = self.source.checked(&[0; 4], 8)?;
        if games != self.end.games.to_le_bytes() {
            return Err(damaged("the number of games differs from the number at its end"));
        }
        match self.source.up_to(1)? {
            [] => Ok(()),
            _ => Err(damaged("there are bytes after its end")),
        }
    }
}

impl<R: Read> Iterator for RecordReader<R> {
    type Item = Result<GameRecord, RecordError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.over {
            return None;
        }
        let block = self.block().transpose();
        self.over = !matches!(block, Some(Ok(_)));
        let RecordEnd { length, games } = self.end;
        match block? {
            Ok(record) => {
                self.end = RecordEnd { length: self.source.at, games: games + 1 };
                Some(Ok(record))
            }
            Err(problem) => {
                let file = self.source.name.clone();
                Some(Err(RecordError { file, at: length, games, problem }))
            }
        }
    }
}

/// Maximum length of the metadata in bytes.
const MAX_METADATA: u32 = 1 << 20;

fn header<R: Read>(source: &mut Source<R>) -> Result<Metadata, ReadErrorKind> {
    let mut front = [0; 16];
    let read = source.up_to(front.len())?;
    if !read.starts_with(&MAGIC[..read.len().min(MAGIC.len())]) || read.is_empty() {
        return Err(ReadErrorKind::Foreign);
    }
    if read.len() < front.len() {
        return Err(ReadErrorKind::Truncated);
    }
    front.copy_from_slice(read);
    let word =
        |at: usize| u32::from_le_bytes([front[at], front[at + 1], front[at + 2], front[at + 3]]);
    let (format, length) = (word(8), word(12));
    if format != FORMAT {
        return Err(ReadErrorKind::Format(format));
    }
    if length > MAX_METADATA {
        return Err(damaged("its metadata has an impossible length"));
    }
    let bytes = source.checked(&front, length as usize)?;
    ron::from_str(str::from_utf8(bytes).map_err(damaged)?).map_err(damaged)
}

fn damaged(what: impl fmt::Display) -> ReadErrorKind {
    ReadErrorKind::Damaged(what.to_string())
}

/// The bytes of a file, and the offset of the next one.
#[derive(Debug)]
struct Source<R> {
    input: R,
    name: String,
    at: u64,
    buffer: Vec<u8>,
}

impl<R: Read> Source<R> {
    /// Reads the next `length` bytes, or fewer at the end of the file. The buffer grows as
    /// bytes arrive, so a wrong length allocates no more than the size of the file.
    fn up_to(&mut self, length: usize) -> Result<&[u8], ReadErrorKind> {
        self.buffer.clear();
        let mut limited = (&mut self.input).take(length as u64);
        let read = limited.read_to_end(&mut self.buffer).map_err(ReadErrorKind::Io)?;
        self.at += read as u64;
        Ok(&self.buffer)
    }

    /// Reads a number; `None` at the end of the file.
    fn u32_or_end(&mut self) -> Result<Option<u32>, ReadErrorKind> {
        match *self.up_to(4)? {
            [] => Ok(None),
            [a, b, c, d] => Ok(Some(u32::from_le_bytes([a, b, c, d]))),
            _ => Err(ReadErrorKind::Truncated),
        }
    }

    /// Reads the next `length` bytes, and checks the checksum of `before` and them that follows.
    fn checked(&mut self, before: &[u8], length: usize) -> Result<&[u8], ReadErrorKind> {
        let bytes = self.up_to(length + 4)?;
        let Some((bytes, [a, b, c, d])) = bytes.split_at_checked(length) else {
            return Err(ReadErrorKind::Truncated);
        };
        let mut checksum = crc32fast::Hasher::new();
        checksum.update(before);
        checksum.update(bytes);
        if checksum.finalize() != u32::from_le_bytes([*a, *b, *c, *d]) {
            return Err(damaged("its checksum does not match"));
        }
        Ok(bytes)
    }
}

impl RecordError {
    /// Returns true if the file has no end, because the run that wrote it did not finish or a copy
    /// is incomplete. The games before it are whole.
    pub fn lacks_end(&self) -> bool {
        use ReadErrorKind::{Truncated, Unfinished};
        self.at > 0 && matches!(self.problem, Unfinished | Truncated)
    }

    fn message(&self) -> String {
        let Self { file, at, games, problem } = self;
        let place = match (at, games) {
            (0, _) => "in its header".to_owned(),
            (at, 0) => format!("at byte {at}, before the first complete game"),
            (at, 1) => format!("at byte {at}, after 1 complete game"),
            (at, games) => format!("at byte {at}, after {games} complete games"),
        };
        match problem {
            ReadErrorKind::Io(error) => format!("cannot read {file}: {error}"),
            ReadErrorKind::Foreign => {
                format!("{file} is no record file: its first bytes are wrong")
            }
            ReadErrorKind::Format(format) => format!(
                "{file} has format {format}, and this program reads format {FORMAT}: read it with \
                 the version that wrote it or a later one"
            ),
            ReadErrorKind::Unfinished => {
                format!("{file} ends {place}: the run that wrote it did not finish")
            }
            ReadErrorKind::Truncated if *at > 0 => format!(
                "{file} is truncated {place}: the run that wrote it did not finish, or a copy of it is \
                 incomplete"
            ),
            ReadErrorKind::Truncated => {
                format!("{file} is truncated {place}: copy it again, or record the games again")
            }
            ReadErrorKind::Damaged(what) => format!("{file} is damaged {place}: {what}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::file;

    /// Reads the games of a file, and its error.
    fn read(bytes: &[u8]) -> (Vec<GameRecord>, Option<RecordError>) {
        let reader = match RecordReader::new(bytes, "games.rec") {
            Ok(reader) => reader,
            Err(error) => return (Vec::new(), Some(error)),
        };
        let (mut games, mut problem) = (Vec::new(), None);
        for game in reader {
            assert!(problem.is_none(), "a game follows an error");
            match game {
                Ok(game) => games.push(game),
                Err(error) => problem = Some(error),
            }
        }
        (games, problem)
    }

    fn message(bytes: &[u8]) -> String {
        read(bytes).1.expect("an error").to_string()
    }

    /// Writes the checksum of the changed bytes behind them.
    fn seal(bytes: &mut [u8], from: usize, to: usize) {
        let checksum = crc32fast::hash(&bytes[from..to]);
        bytes[to..to + 4].copy_from_slice(&checksum.to_le_bytes());
    }

    #[test]
    fn damage_anywhere_is_an_error_and_no_wrong_game_is_read() {
        let whole = file(3);
        let (games, problem) = read(&whole);
        assert!(games.len() == 3 && problem.is_none());
        for at in 0..whole.len() {
            let (read_games, problem) = read(&whole[..at]);
            let problem = problem.unwrap_or_else(|| panic!("cut at {at}"));
            assert_eq!(read_games, games[..read_games.len()]);
            assert_eq!(problem.games, read_games.len() as u64);
            assert!(problem.at <= at as u64, "{problem}");
            for bit in 0..8 {
                let mut damaged = whole.clone();
                damaged[at] ^= 1 << bit;
                let (read_games, problem) = read(&damaged);
                assert!(problem.is_some(), "bit {bit} of byte {at}");
                assert_eq!(read_games, games[..read_games.len()], "bit {bit} of byte {at}");
            }
        }
    }

    #[test]
    fn errors_name_the_file_the_position_and_the_reason() {
        let whole = file(2);
        assert!(message(b"").contains("games.rec is no record file"));
        assert!(message(b"PK\x03\x04 and more of another kind").contains("no record file"));
        assert!(message(&whole[..12]).contains("truncated in its header"));

        let end = whole.len() - 16;
        assert!(message(&whole[..end]).ends_with("the run that wrote it did not finish"));
        let place = format!("truncated at byte {end}, after 2 complete games");
        assert!(message(&whole[..end + 5]).contains(&place));
        assert!(message(&whole[..end - 1]).contains("after 1 complete game:"));
        let longer = [&whole[..], b"x"].concat();
        assert!(message(&longer).contains("bytes after its end"));

        let mut newer = whole.clone();
        newer[8] = 2;
        assert!(message(&newer).contains("format 2, and this program reads format 1"));

        let mut flipped = whole.clone();
        flipped[end - 5] ^= 1;
        let text = message(&flipped);
        assert!(text.contains("after 1 complete game: its checksum does not match"), "{text}");

        // A game is missing: the blocks are valid, their number is wrong.
        let first = u32::from_le_bytes(whole[12..16].try_into().unwrap()) as usize + 20;
        let second =
            first + 8 + u32::from_le_bytes(whole[first..first + 4].try_into().unwrap()) as usize;
        let text = message(&[&whole[..first], &whole[second..]].concat());
        assert!(text.contains("number of games differs"), "{text}");

        let mut unknown = whole.clone();
        let at = whole.windows(4).position(|word| word == b"seed").unwrap();
        unknown[at..at + 4].copy_from_slice(b"seat");
        seal(&mut unknown, 0, first - 4);
        assert!(message(&unknown).contains("`seat`"), "{}", message(&unknown));
    }

    #[test]
    fn io_errors_name_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let missing = RecordReader::open(&folder.path().join("none.rec")).unwrap_err().to_string();
        assert!(missing.contains("cannot read") && missing.contains("none.rec"), "{missing}");
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("bad sector"))
            }
        }
        let whole = file(1);
        let input = whole[..whole.len() - 20].chain(Broken);
        let error = RecordReader::new(input, "a.rec").unwrap().find_map(Result::err).unwrap();
        assert_eq!(error.to_string(), "cannot read a.rec: bad sector");
    }
}
