//! A table in a file of the exchange format.
//!
//! ```text
//! layout           u8, ignored
//! name             8 bytes, see `read_name`
//! number           u16, bytes of a number: 4, for f32
//! entries          u64
//! values           a number for each entry
//! blocks           each: u16 bytes of a number, u64 count, the numbers. Temporal
//!                  coherence has one: all sums of errors, then all sums of absolute
//!                  errors
//! end              u16, 0
//! ```

use agent_ntuple_network::{MAX_TUPLES, Network};
use runner_files::ContainerProblem;
use runner_files::container::ReadAt;
use std::io::{self, Write};

pub const VERSION: u8 = 0;

/// The byte that may precede the version.
pub const MARK: u8 = b'w';

/// Bytes of a number that is read or written: an f32.
pub const WIDTH: u16 = 4;

const LAYOUT: u8 = 4;

pub struct FileTable {
    pub name: String,
    /// Cells, in the order of the name.
    pub cells: Vec<u8>,
    pub entries: u64,
    pub values: u64,
    /// Offset of the sums of errors, if there are any; the sums of absolute errors follow.
    pub sums: Option<u64>,
}

impl FileTable {
    /// Returns the index of the network's tuple that has this table.
    pub fn tuple_of(&self, network: &Network) -> Option<usize> {
        let cells = self.ascending();
        network.tuples().iter().position(|tuple| tuple.cells == cells)
    }

    fn ascending(&self) -> Vec<u8> {
        let mut cells = self.cells.clone();
        cells.sort_unstable();
        cells
    }
}

pub fn read_all<S: ReadAt>(source: &S) -> Result<Vec<FileTable>, ContainerProblem> {
    let length = source.length().map_err(ContainerProblem::Io)?;
    let mut cursor = Cursor { source, at: 0, length, table: String::new() };
    let [mut version] = cursor.bytes("its version")?;
    if version == MARK {
        [version] = cursor.bytes("its version")?;
    }
    if version != VERSION {
        return Err(ContainerProblem::Unsuitable(format!(
            "has version {version} of the format `w`, and this program reads version {VERSION}"
        )));
    }
    let count = u32::from_le_bytes(cursor.bytes("its number of tables")?) as usize;
    if count == 0 || count > MAX_TUPLES {
        return Err(ContainerProblem::Unsuitable(format!(
            "has {count} tables, and networks have 1 to {MAX_TUPLES}"
        )));
    }
    let mut records: Vec<FileTable> = Vec::new();
    for number in 1..=count {
        cursor.table = format!("table {number} of {count}");
        let place = cursor.at;
        let record = read(&mut cursor)?;
        if records.iter().any(|earlier| earlier.ascending() == record.ascending()) {
            return Err(ContainerProblem::Damaged(format!(
                "table {number}, at byte {place}, is the second one with the cells of `{}`",
                record.name
            )));
        }
        records.push(record);
    }
    match cursor.length - cursor.at {
        0 => Ok(records),
        more => Err(ContainerProblem::Damaged(format!(
            "its tables end at byte {}, and {more} bytes follow",
            cursor.at
        ))),
    }
}

fn read<S: ReadAt>(cursor: &mut Cursor<'_, S>) -> Result<FileTable, ContainerProblem> {
    let place = cursor.at;
    let [_layout] = cursor.bytes("its layout")?;
    let name_bytes = cursor.bytes("its name")?;
    let values_at = cursor.at;
    let listed_width = cursor.width()?;
    let entries = u64::from_le_bytes(cursor.bytes("its number of entries")?);
    let name = read_name(name_bytes).map_err(|what| cursor.damaged(place, &what))?;
    cursor.table += &format!(" (`{name}`)");
    let cells = cells_of(&name, entries, cursor, place)?;
    let width = listed_width.ok_or_else(|| cursor.damaged(place, "no values"))?;
    cursor.check_width(width, values_at)?;
    let values = cursor.numbers(width, entries, "its values")?;
    let mut sums = None;
    for block in 0.. {
        let place = cursor.at;
        let Some(width) = cursor.width()? else { break };
        let count = u64::from_le_bytes(cursor.bytes("the length of a block")?);
        if block == 0 && u128::from(count) != 2 * u128::from(entries) {
            let what = format!("a block of {count} numbers, and sums of errors are 2 x {entries}");
            return Err(cursor.damaged(place, &what));
        }
        if block == 0 {
            cursor.check_width(width, place)?;
        }
        let start = cursor.numbers(width, count, "a block")?;
        sums = sums.or(Some(start));
    }
    Ok(FileTable { name, cells, entries, values, sums })
}

fn cells_of<S>(
    name: &str,
    entries: u64,
    cursor: &Cursor<'_, S>,
    place: u64,
) -> Result<Vec<u8>, ContainerProblem> {
    let refuse =
        |why: &str| Err(ContainerProblem::Unsuitable(format!("has the table `{name}`, {why}")));
    let digits = name.chars().map(|digit| digit.to_digit(16).map(|cell| cell as u8));
    let Some(cells) = digits.collect::<Option<Vec<u8>>>() else {
        return refuse("which does not name cells: only tuples of cells are read");
    };
    let expected = 1u64 << (4 * cells.len());
    if cells.len() == 8 && entries < expected {
        return refuse(
            "which is one of several stages: only networks with a single stage are read",
        );
    }
    if entries != expected {
        let count = cells.len();
        let what = format!("{entries} entries, and its {count} cells have {expected}");
        return Err(cursor.damaged(place, &what));
    }
    match (1..cells.len()).find(|&k| cells[..k].contains(&cells[k])) {
        Some(k) => Err(cursor.damaged(place, &format!("the cell {:x} twice", cells[k]))),
        None => Ok(cells),
    }
}

/// Reads a name from its eight bytes: a hexadecimal number and its number of digits, or text.
fn read_name(bytes: [u8; 8]) -> Result<String, String> {
    let [a, b, c, d, e, f, g, h] = bytes;
    if (g, h) == (0, 0) {
        let digits = format!("{:x}", u32::from_le_bytes([a, b, c, d]));
        let width = usize::from(u16::from_le_bytes([e, f]));
        return match if width < digits.len() { 8 } else { width } {
            width @ 1..=8 => Ok(format!("{digits:0>width$}")),
            width => Err(format!("a name of {width} digits")),
        };
    }
    let text = bytes.split(|&byte| byte == b' ').next().unwrap_or_default();
    if text.iter().all(u8::is_ascii_graphic) && !text.is_empty() {
        Ok(String::from_utf8_lossy(text).into_owned())
    } else {
        Err("an unreadable name".to_owned())
    }
}

pub fn write_start(cells: &[u8], out: &mut impl Write) -> io::Result<()> {
    out.write_all(&[LAYOUT])?;
    let number = cells.iter().fold(0u32, |number, &cell| number << 4 | u32::from(cell));
    out.write_all(&number.to_le_bytes())?;
    out.write_all(&(cells.len() as u32).to_le_bytes())?;
    write_block(1 << (4 * cells.len()), out)
}

pub fn write_block(numbers: usize, out: &mut impl Write) -> io::Result<()> {
    out.write_all(&WIDTH.to_le_bytes())?;
    out.write_all(&(numbers as u64).to_le_bytes())
}

pub fn write_end(out: &mut impl Write) -> io::Result<()> {
    out.write_all(&0u16.to_le_bytes())
}

struct Cursor<'a, S> {
    source: &'a S,
    at: u64,
    length: u64,
    /// The table that is being read, for messages.
    table: String,
}

impl<S> Cursor<'_, S> {
    fn damaged(&self, place: u64, what: &str) -> ContainerProblem {
        ContainerProblem::Damaged(format!("{}, at byte {place}, has {what}", self.table))
    }

    /// Skips some bytes, if the file has them, and returns their offset.
    fn skip(&mut self, bytes: u128, what: &str) -> Result<u64, ContainerProblem> {
        let start = self.at;
        if bytes > u128::from(self.length - start) {
            let of = if self.table.is_empty() { "" } else { " of " };
            return Err(ContainerProblem::Damaged(format!(
                "it is truncated: it ends at byte {}, and {what}{of}{} would end at {}",
                self.length,
                self.table,
                u128::from(start) + bytes
            )));
        }
        self.at += bytes as u64;
        Ok(start)
    }

    fn numbers(&mut self, width: u16, count: u64, what: &str) -> Result<u64, ContainerProblem> {
        self.skip(u128::from(count) * u128::from(width), what)
    }

    /// Returns an error if numbers of this width, which is at a place, cannot be read.
    fn check_width(&self, width: u16, place: u64) -> Result<(), ContainerProblem> {
        match width {
            WIDTH => Ok(()),
            _ => {
                let what = format!("numbers of {width} bytes, and numbers of {WIDTH} are read");
                Err(self.damaged(place, &what))
            }
        }
    }
}

impl<S: ReadAt> Cursor<'_, S> {
    fn bytes<const N: usize>(&mut self, what: &str) -> Result<[u8; N], ContainerProblem> {
        let start = self.skip(N as u128, what)?;
        let mut bytes = [0; N];
        self.source.read_at(start, &mut bytes).map_err(ContainerProblem::Io)?;
        Ok(bytes)
    }

    /// Reads how many bytes each number has that follows; none at the end of a table.
    fn width(&mut self) -> Result<Option<u16>, ContainerProblem> {
        let width = u16::from_le_bytes(self.bytes("the size of its numbers")?);
        Ok((width > 0).then_some(width))
    }
}
