//! Boards as text: displayed values, with rows joined by `/` and cells by `,`. An empty cell
//! is `0`, a stone `#`: `0,2,4,8/0,0,0,0/0,#,2,0/0,0,0,0`.

use runner_core::TextError;
use runner_core::geometry::Geometry;
use std::fmt::Write;

/// Writes the cells of a position.
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
        None => Ok(bits),
        Some(next) => Err(TextError::new(
            text.len() - rest.len(),
            format!("{next:?} follows the complete board; remove the rest"),
        )),
    }
}

/// Reads the cells at the start of a text and returns the rest of the text.
pub fn parse_cells<'a>(board: &Geometry, text: &'a str) -> Result<(u128, &'a str), TextError> {
    let (rows, cols) = (board.rows, board.cols);
    let size = || format!("the board has {rows} rows of {cols} cells");
    let stone = stone(board);
    let mut bits = 0;
    let mut at = 0;
    for cell in 0..board.cells() {
        let (row, col) = (cell / cols + 1, cell % cols + 1);
        let digits = text[at..].bytes().take_while(u8::is_ascii_digit).count();
        if let Some(stone) = stone.filter(|_| text[at..].starts_with('#')) {
            bits = board.with_rank(bits, cell, stone);
            at += 1;
        } else if digits == 0 {
            let found = match text[at..].chars().next() {
                None => "the text ends".to_owned(),
                Some(found) => format!("{found:?} is found"),
            };
            let message = format!(
                "expected a tile (row {row}, cell {col}), but {found}; {}, written as tiles joined by \
                 ',' and rows joined by '/'",
                size()
            );
            return Err(TextError::new(at, message));
        } else {
            let number = &text[at..at + digits];
            let value = number.parse().ok();
            let Some(rank) = board.values.iter().position(|&known| Some(known) == value) else {
                let tiles = tiles(board);
                return Err(TextError::new(at, format!("there is no tile {number}; {tiles}")));
            };
            bits = board.with_rank(bits, cell, rank as u8);
            at += digits;
        }

        let next = text[at..].chars().next();
        let (last_of_row, last) = (col == cols, cell + 1 == board.cells());
        match next {
            Some(',') if !last_of_row => at += 1,
            Some('/') if last_of_row && !last => at += 1,
            Some(',') => {
                return Err(TextError::new(at, format!("row {row} is too long; {}", size())));
            }
            Some('/') if last => {
                return Err(TextError::new(at, format!("there are too many rows; {}", size())));
            }
            _ if last => {}
            Some('/') => {
                return Err(TextError::new(at, format!("row {row} is too short; {}", size())));
            }
            None if last_of_row => {
                return Err(TextError::new(at, format!("there are too few rows; {}", size())));
            }
            None => return Err(TextError::new(at, format!("row {row} is too short; {}", size()))),
            Some(found) => {
                let wanted = if last_of_row { '/' } else { ',' };
                let message = format!("expected {wanted:?}, found {found:?}; {}", size());
                return Err(TextError::new(at, message));
            }
        }
    }
    Ok((bits, &text[at..]))
}

/// Returns the byte at which a cell begins in the text of a board.
pub(crate) fn place(text: &str, cell: usize) -> usize {
    text.split([',', '/']).take(cell).map(|tile| tile.len() + 1).sum()
}

/// Returns the rank of a stone, if the game has stones.
pub(crate) fn stone(board: &Geometry) -> Option<u8> {
    board.values.iter().skip(1).position(|&value| value == 0).map(|before| before as u8 + 1)
}

/// Lists the tiles of the game for a message.
fn tiles(board: &Geometry) -> String {
    let tiles = board.values.iter().filter(|&&value| value != 0);
    let tiles: Vec<String> = tiles.map(u64::to_string).collect();
    let stone = if stone(board).is_some() { ", a stone is #" } else { "" };
    format!("an empty cell is 0{stone}, and the tiles are {}", tiles.join(", "))
}
