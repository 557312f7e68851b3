//! Positions in the hex form of other programs: a digit for each cell, row by row, such as
//! `EDC1BA9187611111`. 0 is an empty cell, 1 the smallest tile, and `#` a stone.

use crate::geometry::Geometry;
use crate::{Game, State, TextError};

/// Least number of digits of a text that is read as the hex form. A shorter one is a typing error.
const SHORTEST: usize = 4;

/// The sign of a stone.
const STONE: char = '#';

/// Reads a position from the text of its game or from the hex form.
pub fn read_position(game: &impl Game, text: &str) -> Result<State, TextError> {
    let parsed = game.parse(text);
    let is_hex = text.len() >= SHORTEST
        && text.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == STONE as u8);
    match &game.description().geometry {
        Some(board) if is_hex && parsed.is_err() => {
            let state = State::from_bits(read_digits(board, text)?);
            // Written and parsed, so that the game checks the position.
            game.parse(&game.write(state)).map_err(|error| TextError::new(0, error.message))
        }
        _ => parsed,
    }
}

/// Returns a position in the hex form, if its game has one.
pub fn write_hex(board: &Geometry, state: State) -> Result<String, TextError> {
    check_has_only_cells(board)?;
    let digits = (0..board.cells()).map(|cell| digit(board, board.rank(state.bits(), cell)));
    let text: Option<String> = digits.collect();
    text.ok_or_else(|| TextError::new(0, "a tile is larger than a hex digit"))
}

/// Returns the digit of a rank, or `None` if it is above F. Stones are not counted, so 1 is the
/// smallest tile of every game.
fn digit(board: &Geometry, rank: u8) -> Option<char> {
    if board.is_stone(rank) {
        return Some(STONE);
    }
    let stones = (0..rank).filter(|&rank| board.is_stone(rank)).count() as u32;
    let digit = char::from_digit(u32::from(rank) - stones, 16)?;
    Some(digit.to_ascii_uppercase())
}

fn read_digits(board: &Geometry, text: &str) -> Result<u128, TextError> {
    check_has_only_cells(board)?;
    if text.len() != board.cells() {
        return Err(TextError::new(
            text.len().min(board.cells()),
            format!(
                "the hex form has {} digits, one for each cell, and this has {}",
                board.cells(),
                text.len()
            ),
        ));
    }
    let digit_of_rank: Vec<_> =
        (0..board.values.len() as u8).map(|rank| digit(board, rank)).collect();
    let mut bits = 0;
    for (cell, typed) in text.chars().enumerate() {
        let upper = typed.to_ascii_uppercase();
        let Some(rank) = digit_of_rank.iter().position(|digit| *digit == Some(upper)) else {
            // The sign of a stone is less than every digit.
            let largest = digit_of_rank.iter().flatten().max().unwrap_or(&'0');
            let message = format!("the digit {typed} is no tile: {largest} is the largest");
            return Err(TextError::new(cell, message));
        };
        bits = board.with_rank(bits, cell, rank as u8);
    }
    Ok(bits)
}

/// Refuses a game whose positions have fields beside their cells.
fn check_has_only_cells(board: &Geometry) -> Result<(), TextError> {
    let fields = board.extra_fields.iter().chain(&board.counted_fields);
    let names: Vec<_> = fields.map(|field| field.name.as_str()).collect();
    if names.is_empty() {
        return Ok(());
    }
    let message = format!(
        "the hex form holds the cells only, and positions of this game have {} too",
        names.join(", ")
    );
    Err(TextError::new(0, message))
}
