//! A table in a file of the exchange format, which is the weights of one tuple.
//!
//! ```text
//! layout           u8, ignored
//! name             8 bytes, see `read_name`
//! width            u16, bytes of each value: 4, for f32
//! entries          u64, the number of values
//! values           the value of each entry
//! blocks           any number, each: width (u16), number of numbers (u64), the numbers
//! end              u16, 0, in place of the width of another block
//! ```
//!
//! Temporal coherence has one block: all sums of errors, then all sums of absolute errors.

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

/// The end of a table, in place of the width of a block.
pub const END: [u8; 2] = [0, 0];

/// Where a table lies in a file. Offsets are those in the file, in bytes.
pub struct FileTable {
    pub name: String,
    /// Cells, in the order of the name.
    pub cells: Vec<u8>,
    /// Number of entries.
    pub entries: u64,
    /// Offset of the values.
    pub values: u64,
    /// Offset of the sums of errors, if there are any. The sums of absolute errors follow.
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

/// Reads where the tables of a file lie, and checks that they fill it.
pub fn read_all<S: ReadAt>(source: &S) -> Result<Vec<FileTable>, ContainerProblem> {
    let length = source.length().map_err(ContainerProblem::Io)?;
    let mut cursor = Cursor { source, offset: 0, length, table: String::new() };
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
    let mut tables: Vec<FileTable> = Vec::new();
    for number in 1..=count {
        cursor.table = format!("table {number} of {count}");
        let start = cursor.offset;
        let table = read_table(&mut cursor)?;
        if tables.iter().any(|earlier| earlier.ascending() == table.ascending()) {
            return Err(ContainerProblem::Damaged(format!(
                "table {number}, at byte {start}, is the second one with the cells of `{}`",
                table.name
            )));
        }
        tables.push(table);
    }
    match cursor.length - cursor.offset {
        0 => Ok(tables),
        more => Err(ContainerProblem::Damaged(format!(
            "its tables end at byte {}, and {more} bytes follow",
            cursor.offset
        ))),
    }
}

fn read_table<S: ReadAt>(cursor: &mut Cursor<'_, S>) -> Result<FileTable, ContainerProblem> {
    let start = cursor.offset;
    let [_layout] = cursor.bytes("its layout")?;
    let name_bytes = cursor.bytes("its name")?;
    let width_at = cursor.offset;
    // Checked below, where the table has its name for messages.
    let width_of_values = cursor.width()?;
    let entries = u64::from_le_bytes(cursor.bytes("its number of entries")?);
    let name = read_name(name_bytes).map_err(|what| cursor.damaged(start, &what))?;
    cursor.table += &format!(" (`{name}`)");
    let cells = cells_of(&name, entries, cursor, start)?;
    let Some(width) = width_of_values else { return Err(cursor.damaged(start, "no values")) };
    cursor.check_width(width, width_at)?;
    let values_at = cursor.skip_numbers(width, entries, "its values")?;
    let mut sums = None;
    loop {
        let block_at = cursor.offset;
        let Some(width) = cursor.width()? else { break };
        let count = u64::from_le_bytes(cursor.bytes("the length of a block")?);
        // The first block is the sums; all others are ignored.
        if sums.is_none() {
            if u128::from(count) != 2 * u128::from(entries) {
                let what =
                    format!("a block of {count} numbers, and sums of errors are 2 x {entries}");
                return Err(cursor.damaged(block_at, &what));
            }
            cursor.check_width(width, block_at)?;
        }
        let numbers_at = cursor.skip_numbers(width, count, "a block")?;
        sums.get_or_insert(numbers_at);
    }
    Ok(FileTable { name, cells, entries, values: values_at, sums })
}

/// Returns the cells of the table at `start` from its name, and checks its number of entries.
fn cells_of<S>(
    name: &str,
    entries: u64,
    cursor: &Cursor<'_, S>,
    start: u64,
) -> Result<Vec<u8>, ContainerProblem> {
    let refuse =
        |why: &str| Err(ContainerProblem::Unsuitable(format!("has the table `{name}`, {why}")));
    let digits = name.chars().map(|digit| digit.to_digit(16).map(|cell| cell as u8));
    let Some(cells) = digits.collect::<Option<Vec<u8>>>() else {
        return refuse("which does not name cells: only tuples of cells are read");
    };
    let expected = 1u64 << (4 * cells.len());
    // The eight digits are the number of a stage, and after it the cells of a shorter tuple.
    if cells.len() == 8 && entries < expected {
        return refuse(
            "which is one of several stages: only networks with a single stage are read",
        );
    }
    if entries != expected {
        let count = cells.len();
        let what = format!("{entries} entries, and its {count} cells have {expected}");
        return Err(cursor.damaged(start, &what));
    }
    match (1..cells.len()).find(|&k| cells[..k].contains(&cells[k])) {
        Some(k) => Err(cursor.damaged(start, &format!("the cell {:x} twice", cells[k]))),
        None => Ok(cells),
    }
}

/// Reads a name from its eight bytes. If the last two are 0, it is a hexadecimal number (u32) with
/// a number of digits (u16). Otherwise it is text that ends before a space.
fn read_name(bytes: [u8; 8]) -> Result<String, String> {
    if let [a, b, c, d, e, f, 0, 0] = bytes {
        let digits = format!("{:x}", u32::from_le_bytes([a, b, c, d]));
        let listed = usize::from(u16::from_le_bytes([e, f]));
        // A number of digits that is too small means 8.
        let width = if listed < digits.len() { 8 } else { listed };
        if width > 8 {
            return Err(format!("a name of {width} digits"));
        }
        return Ok(format!("{digits:0>width$}"));
    }
    let text = bytes.split(|&byte| byte == b' ').next().unwrap_or_default();
    if text.iter().all(u8::is_ascii_graphic) && !text.is_empty() {
        Ok(String::from_utf8_lossy(text).into_owned())
    } else {
        Err("an unreadable name".to_owned())
    }
}

/// Writes the beginning of a table, to which its values must be added.
pub fn write_start(cells: &[u8], out: &mut impl Write) -> io::Result<()> {
    out.write_all(&[LAYOUT])?;
    let number = cells.iter().fold(0u32, |number, &cell| number << 4 | u32::from(cell));
    out.write_all(&number.to_le_bytes())?;
    out.write_all(&(cells.len() as u32).to_le_bytes())?;
    write_block_start(1 << (4 * cells.len()), out)
}

/// Writes the beginning of a block, to which this number of numbers must be added.
pub fn write_block_start(numbers: usize, out: &mut impl Write) -> io::Result<()> {
    out.write_all(&WIDTH.to_le_bytes())?;
    out.write_all(&(numbers as u64).to_le_bytes())
}

struct Cursor<'a, S> {
    source: &'a S,
    offset: u64,
    /// Length of the file in bytes.
    length: u64,
    /// The table that is being read, for messages.
    table: String,
}

impl<S> Cursor<'_, S> {
    fn damaged(&self, offset: u64, what: &str) -> ContainerProblem {
        ContainerProblem::Damaged(format!("{}, at byte {offset}, has {what}", self.table))
    }

    /// Skips some bytes and returns their offset. `what` names them in the error of a truncated
    /// file.
    fn skip(&mut self, bytes: u128, what: &str) -> Result<u64, ContainerProblem> {
        let start = self.offset;
        if bytes > u128::from(self.length - start) {
            let of = if self.table.is_empty() { "" } else { " of " };
            return Err(ContainerProblem::Damaged(format!(
                "it is truncated: it ends at byte {}, and {what}{of}{} would end at {}",
                self.length,
                self.table,
                u128::from(start) + bytes
            )));
        }
        self.offset += bytes as u64;
        Ok(start)
    }

    fn skip_numbers(&mut self, width: u16, n: u64, what: &str) -> Result<u64, ContainerProblem> {
        self.skip(u128::from(n) * u128::from(width), what)
    }

    /// Returns an error if numbers of this width, which the file has at `offset`, are not read.
    fn check_width(&self, width: u16, offset: u64) -> Result<(), ContainerProblem> {
        if width == WIDTH {
            return Ok(());
        }
        let what = format!("numbers of {width} bytes, and numbers of {WIDTH} are read");
        Err(self.damaged(offset, &what))
    }
}

impl<S: ReadAt> Cursor<'_, S> {
    fn bytes<const N: usize>(&mut self, what: &str) -> Result<[u8; N], ContainerProblem> {
        let start = self.skip(N as u128, what)?;
        let mut bytes = [0; N];
        self.source.read_at(start, &mut bytes).map_err(ContainerProblem::Io)?;
        Ok(bytes)
    }

    /// Reads the width of the numbers of a block in bytes. Returns `None` at the end of a table.
    fn width(&mut self) -> Result<Option<u16>, ContainerProblem> {
        let width = u16::from_le_bytes(self.bytes("the size of its numbers")?);
        Ok((width > 0).then_some(width))
    }
}
