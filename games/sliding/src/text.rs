//! Boards as text: displayed values, with rows joined by `/` and cells by `,`. An empty cell
//! is `0`, a stone `#`: `0,2,4,8/0,0,0,0/0,#,2,0/0,0,0,0`.
//!
//! The forms in which people and programs print boards are read too: cells apart by blanks, rows on
//! lines of their own or apart by `;`, lists of lists in brackets, and empty cells as `.`, `_` or
//! nothing between two commas.

use runner_core::TextError;
use runner_core::geometry::Geometry;
use std::fmt::Write;

pub fn write(board: &Geometry, bits: u128) -> String {
    let stone = stone(board);
    let mut text = String::with_capacity(2 * board.cells());
    for cell in 0..board.cells() {
        if cell > 0 {
            text.push(if cell % board.cols == 0 { '/' } else { ',' });
        }
        let rank = board.rank(bits, cell);
        if Some(rank) == stone {
            text.push('#');
            continue;
        }
        let value = board.values[usize::from(rank)];
        write!(text, "{value}").expect("writing to a string does not fail");
    }
    text
}

/// Reads the cells from a text that contains nothing else.
pub fn parse(board: &Geometry, text: &str) -> Result<u128, TextError> {
    let (bits, rest) = parse_cells(board, text)?;
    match rest.chars().next() {
        Some(next) if !rest.trim().is_empty() => Err(TextError::new(
            text.len() - rest.len(),
            format!("{next:?} follows the complete board; remove the rest"),
        )),
        _ => Ok(bits),
    }
}

/// Reads the cells at the start of a text and returns the rest of the text.
pub fn parse_cells<'a>(board: &Geometry, text: &'a str) -> Result<(u128, &'a str), TextError> {
    read(board, text, |_, _| {})
}

/// Returns the byte at which a cell begins in the text of a board.
pub(crate) fn place(board: &Geometry, text: &str, cell: usize) -> usize {
    let mut place = 0;
    // A text that is refused has no later cells.
    let _ = read(board, text, |read, at| place = if read == cell { at } else { place });
    place
}

/// Reads the cells at the start of a text, and calls `begin` with each and the byte at which it
/// begins. Returns the rest of the text.
fn read<'a>(
    board: &Geometry,
    text: &'a str,
    mut begin: impl FnMut(usize, usize),
) -> Result<(u128, &'a str), TextError> {
    let (rows, cols) = (board.rows, board.cols);
    let refuse = |at, what: String| {
        Err(TextError::new(at, format!("{what}; the board has {rows} rows of {cols} cells")))
    };
    let stone = stone(board);
    let whole = text.trim_end();
    let mut at = whole.len() - whole.trim_start_matches([' ', '\t', '\r', '\n', '[']).len();
    let opened = whole[..at].matches('[').count();
    let mut bits = 0;
    let mut after_comma = false;
    for cell in 0..board.cells() {
        let (row, col) = (cell / cols + 1, cell % cols + 1);
        begin(cell, at);
        let digits = whole[at..].bytes().take_while(u8::is_ascii_digit).count();
        let next = whole[at..].chars().next();
        match (next, stone) {
            (Some('#'), Some(stone)) => {
                bits = board.with_rank(bits, cell, stone);
                at += 1;
            }
            _ if digits > 0 => {
                let number = &whole[at..at + digits];
                let value = number.parse().ok();
                let Some(rank) = board.values.iter().position(|&known| Some(known) == value) else {
                    let tiles = tiles(board);
                    return Err(TextError::new(at, format!("there is no tile {number}; {tiles}")));
                };
                bits = board.with_rank(bits, cell, rank as u8);
                at += digits;
            }
            (Some('.' | '_'), _) => at += 1,
            (Some(','), _) => {}
            (Some('/' | ';' | '\n' | ']'), _) if after_comma => {}
            (found, _) => {
                let found = found.map_or("the text ends".into(), |c| format!("{c:?} is found"));
                let what = format!("expected a tile (row {row}, cell {col}), but {found}");
                let size = format!("the board has {rows} rows of {cols} cells");
                let message = format!(
                    "{what}; {size}, written as tiles joined by ',' and rows joined by '/'"
                );
                return Err(TextError::new(at, message));
            }
        }
        let is_last_of_row = col == cols;
        if cell + 1 == board.cells() {
            match whole[at..].trim_start_matches([' ', '\t']).chars().next() {
                Some(',') => return refuse(at, format!("row {row} is too long")),
                Some('/' | ';') => return refuse(at, "there are too many rows".into()),
                _ => break,
            }
        }
        let gap = Gap::read(whole, at, is_last_of_row);
        match (gap.kind, whole[at..].chars().next()) {
            (GapKind::Cell, _) if is_last_of_row => {
                return refuse(at, format!("row {row} is too long"));
            }
            (GapKind::Row, _) | (_, None) if !is_last_of_row => {
                return refuse(at, format!("row {row} is too short"));
            }
            (GapKind::Nothing, None) => return refuse(at, "there are too few rows".into()),
            (GapKind::Nothing, Some(found)) => {
                let wanted = if is_last_of_row { '/' } else { ',' };
                return refuse(at, format!("expected {wanted:?}, found {found:?}"));
            }
            _ => (at, after_comma) = (gap.end, gap.ends_with_comma),
        }
    }
    for _ in 0..opened {
        let rest = whole[at..].trim_start();
        if rest.starts_with(']') {
            at = whole.len() - rest.len() + 1;
        }
    }
    Ok((bits, &text[at..]))
}

/// What stands between two cells.
struct Gap {
    kind: GapKind,
    /// The byte after it.
    end: usize,
    /// True if a cell must follow, which may be empty.
    ends_with_comma: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum GapKind {
    Nothing,
    Cell,
    Row,
}

impl Gap {
    /// Reads what stands after a cell. A comma at the end of a line belongs to the row if it is
    /// complete; otherwise a cell follows that is empty.
    fn read(text: &str, at: usize, is_last_of_row: bool) -> Self {
        let (mut kind, mut end) = (GapKind::Nothing, at);
        let (mut comma, mut bracket) = (false, false);
        for c in text[at..].chars() {
            let is_row = kind == GapKind::Row;
            match c {
                ' ' | '\t' | '\r' => kind = kind.max(GapKind::Cell),
                ',' if !comma && (!is_row || bracket) => {
                    kind = kind.max(GapKind::Cell);
                    comma = true;
                }
                '\n' if !comma || is_row || is_last_of_row => kind = GapKind::Row,
                '/' | ';' | ']' if !comma && !is_row => {
                    kind = GapKind::Row;
                    bracket = c == ']';
                }
                '[' if bracket => {}
                _ => break,
            }
            end += c.len_utf8();
        }
        Self { kind, end, ends_with_comma: comma && kind == GapKind::Cell }
    }
}

/// Returns the rank of a stone, if the game has stones.
pub(crate) fn stone(board: &Geometry) -> Option<u8> {
    board.values.iter().skip(1).position(|&value| value == 0).map(|before| before as u8 + 1)
}

fn tiles(board: &Geometry) -> String {
    let tiles = board.values.iter().filter(|&&value| value != 0);
    let tiles: Vec<String> = tiles.map(u64::to_string).collect();
    let stone = if stone(board).is_some() { ", a stone is #" } else { "" };
    format!("an empty cell is 0{stone}, and the tiles are {}", tiles.join(", "))
}
