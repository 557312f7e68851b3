//! A file of games, read one game at a time. Damage of any kind is an error that
//! says where; what was read before it is whole.

use crate::GameRecord;
use crate::metadata::{FORMAT, MAGIC, Metadata};
use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

/// Reads the games of a file in the order in which they were written. After an
/// error there are no more.
#[derive(Debug)]
pub struct RecordReader<R> {
    source: Source<R>,
    metadata: Metadata,
    games: u64,
    over: bool,
}

/// What is wrong with a file of games, and where.
#[derive(Debug)]
pub struct ReadError {
    /// The file.
    pub file: String,
    /// The byte at which the broken part begins.
    pub at: u64,
    /// How many whole games come before it.
    pub games: u64,
    /// What it is.
    pub problem: Problem,
}

/// The ways in which a file of games can be unreadable.
#[derive(Debug)]
pub enum Problem {
    /// The system cannot read it.
    Io(io::Error),
    /// It is something else.
    Foreign,
    /// It has another version of the format.
    Format(u32),
    /// It ends between two games, without the mark of its end: the run that wrote
    /// it did not finish.
    Unfinished,
    /// It ends in the middle of something.
    CutShort,
    /// Its bytes contradict each other.
    Damaged(String),
}

impl RecordReader<BufReader<File>> {
    /// Opens a file and reads its header.
    pub fn open(path: &Path) -> Result<Self, ReadError> {
        let name = path.display().to_string();
        match File::open(path) {
            Ok(file) => Self::new(BufReader::new(file), &name),
            Err(error) => {
                Err(ReadError { file: name, at: 0, games: 0, problem: Problem::Io(error) })
            }
        }
    }
}

impl<R: Read> RecordReader<R> {
    /// Reads the header of a file that messages call `name`.
    pub fn new(input: R, name: &str) -> Result<Self, ReadError> {
        let mut source = Source { input, name: name.to_owned(), at: 0, buffer: Vec::new() };
        match header(&mut source) {
            Ok(metadata) => Ok(Self { source, metadata, games: 0, over: false }),
            Err(problem) => Err(ReadError { file: source.name, at: 0, games: 0, problem }),
        }
    }

    /// What made the games.
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// The file's name in messages.
    pub fn name(&self) -> &str {
        &self.source.name
    }

    /// The next block, or `None` after the mark of the end.
    fn block(&mut self) -> Result<Option<GameRecord>, Problem> {
        let Some(length) = self.source.u32_or_end()? else {
            return Err(Problem::Unfinished);
        };
        if length == 0 {
            return self.end().map(|()| None);
        }
        if !GameRecord::is_length(length as usize) {
            return Err(damaged("it cannot have this length"));
        }
        let body = self.source.checked(&length.to_le_bytes(), length as usize)?;
        GameRecord::from_body(body).map(Some).map_err(damaged)
    }

    fn end(&mut self) -> Result<(), Problem> {
        let games = self.source.checked(&[0; 4], 8)?;
        if games != self.games.to_le_bytes() {
            return Err(damaged("the file's end counts other games than there are"));
        }
        match self.source.up_to(1)? {
            [] => Ok(()),
            _ => Err(damaged("something follows the file's end")),
        }
    }
}

impl<R: Read> Iterator for RecordReader<R> {
    type Item = Result<GameRecord, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.over {
            return None;
        }
        let at = self.source.at;
        match self.block() {
            Ok(Some(record)) => {
                self.games += 1;
                Some(Ok(record))
            }
            Ok(None) => {
                self.over = true;
                None
            }
            Err(problem) => {
                self.over = true;
                let file = self.source.name.clone();
                Some(Err(ReadError { file, at, games: self.games, problem }))
            }
        }
    }
}

/// Far more than any two specs.
const MAX_METADATA: u32 = 1 << 20;

fn header<R: Read>(source: &mut Source<R>) -> Result<Metadata, Problem> {
    let mut front = [0; 16];
    let read = source.up_to(front.len())?;
    if !read.starts_with(&MAGIC[..read.len().min(MAGIC.len())]) || read.is_empty() {
        return Err(Problem::Foreign);
    }
    if read.len() < front.len() {
        return Err(Problem::CutShort);
    }
    front.copy_from_slice(read);
    let word =
        |at: usize| u32::from_le_bytes([front[at], front[at + 1], front[at + 2], front[at + 3]]);
    let (format, length) = (word(8), word(12));
    if format != FORMAT {
        return Err(Problem::Format(format));
    }
    if length > MAX_METADATA {
        return Err(damaged("its metadata cannot have this length"));
    }
    let text = source.checked(&front, length as usize)?;
    let text = str::from_utf8(text).map_err(damaged)?;
    ron::from_str(text).map_err(damaged)
}

fn damaged(what: impl fmt::Display) -> Problem {
    Problem::Damaged(what.to_string())
}

/// The bytes of a file and how far they were read.
#[derive(Debug)]
struct Source<R> {
    input: R,
    name: String,
    at: u64,
    buffer: Vec<u8>,
}

impl<R: Read> Source<R> {
    /// The next bytes: `length`, or fewer at the end. The buffer grows as they
    /// arrive: a wrong length cannot ask for more memory than the file has bytes.
    fn up_to(&mut self, length: usize) -> Result<&[u8], Problem> {
        self.buffer.clear();
        let mut limited = (&mut self.input).take(length as u64);
        let read = limited.read_to_end(&mut self.buffer).map_err(Problem::Io)?;
        self.at += read as u64;
        Ok(&self.buffer)
    }

    /// A number, or `None` if there is no byte left.
    fn u32_or_end(&mut self) -> Result<Option<u32>, Problem> {
        match *self.up_to(4)? {
            [] => Ok(None),
            [a, b, c, d] => Ok(Some(u32::from_le_bytes([a, b, c, d]))),
            _ => Err(Problem::CutShort),
        }
    }

    /// The next `length` bytes, whose checksum, with `before`, follows them.
    fn checked(&mut self, before: &[u8], length: usize) -> Result<&[u8], Problem> {
        let bytes = self.up_to(length + 4)?;
        let Some((bytes, [a, b, c, d])) = bytes.split_at_checked(length) else {
            return Err(Problem::CutShort);
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

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, at, games, problem } = self;
        let place = match (at, games) {
            (0, _) => "in its header".to_owned(),
            (at, 0) => format!("at byte {at}, before any whole game"),
            (at, 1) => format!("at byte {at}, after 1 whole game"),
            (at, games) => format!("at byte {at}, after {games} whole games"),
        };
        match problem {
            Problem::Io(error) => write!(f, "cannot read {file}: {error}"),
            Problem::Foreign => write!(f, "{file} is no record of games: it begins otherwise"),
            Problem::Format(format) => write!(
                f,
                "{file} has format {format}, and this program reads format {FORMAT}: \
                 read it with the version that wrote it, or a later one"
            ),
            Problem::Unfinished => {
                write!(f, "{file} ends {place}: the run that wrote it did not finish")
            }
            Problem::CutShort => {
                write!(f, "{file} is cut short {place}: copy it again, or record the games again")
            }
            Problem::Damaged(what) => write!(f, "{file} is damaged {place}: {what}"),
        }
    }
}

impl std::error::Error for ReadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.problem {
            Problem::Io(error) => Some(error),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::counting::file;
    use super::*;
    use runner_core::Random;

    /// The games of these bytes, and what is wrong with them.
    fn read(bytes: &[u8]) -> (Vec<GameRecord>, Option<ReadError>) {
        let reader = match RecordReader::new(bytes, "games.rec") {
            Ok(reader) => reader,
            Err(error) => return (Vec::new(), Some(error)),
        };
        let (mut games, mut problem) = (Vec::new(), None);
        for game in reader {
            assert!(problem.is_none(), "something follows an error");
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

    /// Puts the right checksum behind what was changed.
    fn seal(bytes: &mut [u8], from: usize, to: usize) {
        let checksum = crc32fast::hash(&bytes[from..to]);
        bytes[to..to + 4].copy_from_slice(&checksum.to_le_bytes());
    }

    #[test]
    fn a_file_cut_at_any_byte_is_an_error_and_its_whole_games_are_read() {
        let whole = file(3);
        let (games, problem) = read(&whole);
        assert!(games.len() == 3 && problem.is_none());
        for length in 0..whole.len() {
            let (read, problem) = read(&whole[..length]);
            let problem = problem.unwrap_or_else(|| panic!("cut at {length}"));
            assert_eq!(read, games[..read.len()]);
            assert_eq!(problem.games, read.len() as u64);
            assert!(problem.at <= length as u64, "{problem}");
        }
    }

    #[test]
    fn every_flipped_bit_is_found_and_no_wrong_game_is_read() {
        let whole = file(3);
        let (games, _) = read(&whole);
        for bit in 0..8 * whole.len() {
            let mut damaged = whole.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            let (read, problem) = read(&damaged);
            assert!(problem.is_some(), "bit {bit}");
            assert_eq!(read, games[..read.len()], "bit {bit}");
        }
    }

    #[test]
    fn no_bytes_whatever_make_the_reader_panic() {
        // Random bytes, behind more or less of a good beginning, some of them with
        // a right checksum so that what lies behind it is reached too.
        let whole = file(2);
        let mut random = Random::from_word(1);
        for _ in 0..20_000 {
            let mut bytes = whole[..random.below(whole.len() as u32 + 1) as usize].to_vec();
            for _ in 0..random.below(4) {
                if let Some(byte) = random.below(bytes.len().max(1) as u32).checked_sub(1) {
                    bytes[byte as usize] = random.word() as u8;
                }
            }
            bytes.extend((0..random.below(60)).map(|_| random.word() as u8));
            let from = random.below(bytes.len().max(1) as u32) as usize;
            if random.below(2) == 0 && bytes.len() >= from + 4 {
                let to = bytes.len() - 4;
                seal(&mut bytes, from, to);
            }
            read(&bytes);
        }
    }

    #[test]
    fn messages_name_the_file_the_place_and_the_reason() {
        let whole = file(2);
        assert!(message(b"").contains("games.rec is no record of games"));
        assert!(message(b"PK\x03\x04 and more of another kind").contains("no record of games"));
        assert!(message(&whole[..12]).contains("cut short in its header"));

        let end = whole.len() - 16;
        assert!(message(&whole[..end]).ends_with("the run that wrote it did not finish"));
        let place = format!("cut short at byte {end}, after 2 whole games");
        assert!(message(&whole[..end + 5]).contains(&place));
        assert!(message(&whole[..end - 1]).contains("after 1 whole game:"));
        let longer = [&whole[..], b"x"].concat();
        assert!(message(&longer).contains("something follows the file's end"));

        let mut newer = whole.clone();
        newer[8] = 2;
        assert!(message(&newer).contains("format 2, and this program reads format 1"));

        let mut flipped = whole.clone();
        flipped[end - 5] ^= 1;
        let text = message(&flipped);
        assert!(text.contains("after 1 whole game: its checksum does not match"), "{text}");

        // A game is missing: every block is right, and the count is not.
        let first = u32::from_le_bytes(whole[12..16].try_into().unwrap()) as usize + 20;
        let second =
            first + 8 + u32::from_le_bytes(whole[first..first + 4].try_into().unwrap()) as usize;
        let text = message(&[&whole[..first], &whole[second..]].concat());
        assert!(text.contains("counts other games than there are"), "{text}");

        let mut unknown = whole.clone();
        let at = whole.windows(4).position(|word| word == b"seed").unwrap();
        unknown[at..at + 4].copy_from_slice(b"seat");
        seal(&mut unknown, 0, first - 4);
        assert!(message(&unknown).contains("`seat`"), "{}", message(&unknown));
    }

    #[test]
    fn a_huge_length_is_refused_or_read_no_further_than_the_file() {
        let whole = file(1);
        let header = u32::from_le_bytes(whole[12..16].try_into().unwrap()) as usize + 20;
        for (at, length) in [(12, u32::MAX), (12, 1 << 20), (header, u32::MAX), (header, 1 << 28)] {
            let mut huge = whole.clone();
            huge[at..at + 4].copy_from_slice(&length.to_le_bytes());
            let mut source =
                Source { input: &huge[at + 4..], name: String::new(), at: 0, buffer: Vec::new() };
            assert!(source.checked(&[], length as usize).is_err());
            assert!(source.buffer.capacity() < 1 << 16);
            assert!(read(&huge).1.is_some());
        }
    }

    #[test]
    fn an_error_of_the_system_is_told_with_the_file() {
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
