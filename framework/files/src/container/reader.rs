//! Reading containers.

use super::error::{ContainerError, ContainerProblem};
use super::format::{BLOCK, FORMAT, Header, MAGIC, MAX_HEADER, Section, blocks};
use std::fs::{self, File};
use std::io;
use std::ops::Range;
use std::path::Path;

pub trait ReadAt: Send + Sync {
    fn length(&self) -> io::Result<u64>;

    /// Fills `out` with the bytes from `place` on.
    fn read_at(&self, place: u64, out: &mut [u8]) -> io::Result<()>;
}

impl ReadAt for File {
    fn length(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    #[cfg(unix)]
    fn read_at(&self, place: u64, out: &mut [u8]) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(self, out, place)
    }

    #[cfg(windows)]
    fn read_at(&self, mut place: u64, mut out: &mut [u8]) -> io::Result<()> {
        while !out.is_empty() {
            match std::os::windows::fs::FileExt::seek_read(self, out, place)? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                n => (out, place) = (&mut out[n..], place + n as u64),
            }
        }
        Ok(())
    }

    /// Other systems have no reads that leave the cursor of a file where it is, so that readers
    /// take turns.
    #[cfg(not(any(unix, windows)))]
    fn read_at(&self, place: u64, out: &mut [u8]) -> io::Result<()> {
        use std::io::{Read, Seek, SeekFrom};
        use std::sync::{Mutex, PoisonError};
        static CURSOR: Mutex<()> = Mutex::new(());
        let _turn = CURSOR.lock().unwrap_or_else(PoisonError::into_inner);
        let mut file = self;
        file.seek(SeekFrom::Start(place))?;
        file.read_exact(out)
    }
}

impl ReadAt for &[u8] {
    fn length(&self) -> io::Result<u64> {
        Ok(self.len() as u64)
    }

    fn read_at(&self, place: u64, out: &mut [u8]) -> io::Result<()> {
        let bytes = usize::try_from(place).ok().and_then(|place| self.get(place..));
        let bytes = bytes.and_then(|bytes| bytes.get(..out.len()));
        out.copy_from_slice(bytes.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }
}

/// An open container, whose header, length and list of checksums were checked.
#[derive(Debug)]
pub struct Container<R = File> {
    source: R,
    file: String,
    header: Header,
    /// Offset of each section.
    starts: Vec<u64>,
    /// Checksum of each block of each section.
    checksums: Vec<Vec<u32>>,
}

impl Container {
    pub fn open(path: &Path) -> Result<Self, ContainerError> {
        let file = path.display().to_string();
        match open_regular(path) {
            Ok(source) => Self::new(source, &file),
            Err(error) => Err(ContainerError { file, problem: ContainerProblem::Io(error) }),
        }
    }

    /// Returns true if a file begins with the signature of a container.
    pub fn is_container(path: &Path) -> io::Result<bool> {
        let file = open_regular(path)?;
        let mut magic = [0; MAGIC.len()];
        Ok(file.length()? >= magic.len() as u64 && {
            file.read_at(0, &mut magic)?;
            magic == MAGIC
        })
    }
}

/// Opens a file that is read at any place. A pipe is refused: opening it would wait for its writer.
/// A folder can be opened, and reading it fails.
pub fn open_regular(path: &Path) -> io::Result<File> {
    let found = fs::metadata(path)?;
    if found.is_file() || found.is_dir() {
        File::open(path)
    } else {
        Err(io::Error::other("it is not a regular file; copy its content to one"))
    }
}

impl<R: ReadAt> Container<R> {
    /// Reads header and checksums; `file` is the name for messages.
    pub fn new(source: R, file: &str) -> Result<Self, ContainerError> {
        let file = file.to_owned();
        match read(&source) {
            Ok((header, starts, checksums)) => Ok(Self { source, file, header, starts, checksums }),
            Err(problem) => Err(ContainerError { file, problem }),
        }
    }

    pub fn header(&self) -> &Header {
        &self.header
    }

    pub fn file(&self) -> &str {
        &self.file
    }

    pub fn error(&self, problem: ContainerProblem) -> ContainerError {
        ContainerError { file: self.file.clone(), problem }
    }

    /// Returns the error "FILE is damaged: `why`".
    pub fn damaged(&self, why: impl Into<String>) -> ContainerError {
        self.error(ContainerProblem::Damaged(why.into()))
    }

    /// Returns the error "FILE `why`", for an intact but unsuitable file.
    pub fn unsuitable(&self, why: impl Into<String>) -> ContainerError {
        self.error(ContainerProblem::Unsuitable(why.into()))
    }

    /// Returns the number of a section, and its length in bytes.
    pub fn find(&self, name: &str) -> Result<(usize, u64), ContainerError> {
        match self.header.sections.iter().position(|section| section.name == name) {
            Some(number) => Ok((number, self.header.sections[number].bytes)),
            None => Err(self.unsuitable(format!("has no section `{name}`"))),
        }
    }

    /// Reads some bytes of a section, and checks every block that has one of them.
    /// `buffer` gets these blocks, the result is the part of it that was asked for.
    ///
    /// # Panics
    ///
    /// If the range is not one of the section.
    pub fn read_range<'b>(
        &self,
        section: usize,
        range: Range<u64>,
        buffer: &'b mut Vec<u8>,
    ) -> Result<&'b [u8], ContainerError> {
        let Section { name, bytes } = &self.header.sections[section];
        assert!(range.start <= range.end && range.end <= *bytes, "{range:?} of {bytes} bytes");
        if range.is_empty() {
            return Ok(&[]);
        }
        let size = BLOCK as u64;
        let (first, end) = (range.start / size, range.end.div_ceil(size));
        let start = first * size;
        let length = ((end * size).min(*bytes) - start) as usize;
        reserve(buffer, length.saturating_sub(buffer.len()))
            .map_err(|problem| self.error(problem))?;
        buffer.resize(length, 0);
        self.source
            .read_at(self.starts[section] + start, buffer)
            .map_err(|error| self.error(ContainerProblem::Io(error)))?;
        for (block, bytes) in (first..end).zip(buffer.chunks(BLOCK)) {
            if crc32fast::hash(bytes) != self.checksums[section][block as usize] {
                let at = block * size;
                let last = at + bytes.len() as u64 - 1;
                let why = format!("checksum mismatch in section `{name}`, bytes {at} to {last}");
                return Err(self.damaged(why));
            }
        }
        Ok(&buffer[(range.start - start) as usize..(range.end - start) as usize])
    }

    /// Reads a section block by block, and calls `take` with the offset and the bytes of each.
    pub fn read_blocks(
        &self,
        section: usize,
        mut take: impl FnMut(u64, &[u8]) -> Result<(), ContainerError>,
    ) -> Result<(), ContainerError> {
        let mut buffer = Vec::new();
        let bytes = self.header.sections[section].bytes;
        for start in (0..bytes).step_by(BLOCK) {
            let range = start..bytes.min(start + BLOCK as u64);
            take(start, self.read_range(section, range, &mut buffer)?)?;
        }
        Ok(())
    }

    /// Returns an empty list with memory for this many items of the file.
    pub fn empty_list<T>(&self, capacity: usize) -> Result<Vec<T>, ContainerError> {
        let mut list = Vec::new();
        reserve(&mut list, capacity).map_err(|problem| self.error(problem))?;
        Ok(list)
    }

    /// Reads a whole section. It takes no more memory than the file has bytes: the length
    /// was checked.
    pub fn read_section(&self, name: &str) -> Result<Vec<u8>, ContainerError> {
        let (section, bytes) = self.find(name)?;
        let mut all = Vec::new();
        self.read_range(section, 0..bytes, &mut all)?;
        Ok(all)
    }

    pub fn verify(&self) -> Result<(), ContainerError> {
        (0..self.checksums.len()).try_for_each(|section| self.read_blocks(section, |_, _| Ok(())))
    }
}

/// Adds memory for this many items to a list.
fn reserve<T>(list: &mut Vec<T>, additional: usize) -> Result<(), ContainerProblem> {
    let bytes = additional as u128 * size_of::<T>() as u128;
    list.try_reserve_exact(additional).map_err(|_| ContainerProblem::Memory(bytes))
}

/// Header, offsets of the sections, checksums of their blocks.
type Frame = (Header, Vec<u64>, Vec<Vec<u32>>);

/// Returns the header, and the offset of the first section.
fn read_header<R: ReadAt>(source: &R, length: u64) -> Result<(Header, u64), ContainerProblem> {
    let mut start = [0; 16];
    let known = length.min(16) as usize;
    source.read_at(0, &mut start[..known]).map_err(ContainerProblem::Io)?;
    if start[..known.min(8)] != MAGIC[..known.min(8)] || known == 0 {
        return Err(ContainerProblem::Foreign);
    }
    if known < 16 {
        return Err(ContainerProblem::Length { expected: 16, found: length });
    }
    let number = |at: usize| u32::from_le_bytes(start[at..at + 4].try_into().expect("4 bytes"));
    if number(8) != FORMAT {
        return Err(ContainerProblem::Format(number(8)));
    }
    let header_length = number(12) as usize;
    if header_length > MAX_HEADER {
        return Err(ContainerProblem::Damaged(format!(
            "its header would have {header_length} bytes, and {MAX_HEADER} is the maximum"
        )));
    }
    let data = 16 + header_length as u64 + 4;
    if length < data {
        return Err(ContainerProblem::Length { expected: data.into(), found: length });
    }
    let mut head = vec![0; data as usize];
    source.read_at(0, &mut head).map_err(ContainerProblem::Io)?;
    let (head, checksum) = head.split_at(data as usize - 4);
    if crc32fast::hash(head).to_le_bytes() != checksum {
        return Err(ContainerProblem::Damaged("checksum mismatch in its header".into()));
    }
    let header: Header = std::str::from_utf8(&head[16..])
        .map_err(|error| error.to_string())
        .and_then(|text| ron::from_str(text).map_err(|error| error.to_string()))
        .map_err(|error| {
            ContainerProblem::Damaged(format!("its header cannot be read: {error}"))
        })?;
    Ok((header, data))
}

fn read<R: ReadAt>(source: &R) -> Result<Frame, ContainerProblem> {
    let length = source.length().map_err(ContainerProblem::Io)?;
    let (header, data) = read_header(source, length)?;
    // The sum of any declared sizes fits into 128 bits.
    let sum = |of: fn(u64) -> u64| header.sections.iter().map(|s| u128::from(of(s.bytes))).sum();
    let (bytes, count): (u128, u128) = (sum(|bytes| bytes), sum(blocks));
    let expected = u128::from(data) + bytes + 4 * count + 4;
    if u128::from(length) != expected {
        return Err(ContainerProblem::Length { expected, found: length });
    }
    let mut checksums = Vec::new();
    reserve(&mut checksums, 4 * count as usize + 4)?;
    checksums.resize(4 * count as usize + 4, 0);
    source.read_at(data + bytes as u64, &mut checksums).map_err(ContainerProblem::Io)?;
    let (checksums, own) = checksums.split_at(4 * count as usize);
    if crc32fast::hash(checksums).to_le_bytes() != own {
        return Err(ContainerProblem::Damaged("checksum mismatch in its list of checksums".into()));
    }
    let mut rest = checksums
        .chunks_exact(4)
        .map(|bytes| u32::from_le_bytes(bytes.try_into().expect("4 bytes")));
    let (mut starts, mut sums, mut place) = (Vec::new(), Vec::new(), data);
    for section in &header.sections {
        starts.push(place);
        sums.push(rest.by_ref().take(blocks(section.bytes) as usize).collect());
        place += section.bytes;
    }
    Ok((header, starts, sums))
}
