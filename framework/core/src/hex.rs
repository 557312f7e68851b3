//! Positions in the hex form of other programs: a digit for the rank of each cell, row by row, such as
//! `EDC1BA9187611111`.

use crate::geometry::Geometry;
use crate::{Game, State, TextError};

/// Number of digits from which on a text is meant to be the hex form.
const SHORTEST: usize = 4;

/// Reads a position from the text of its game or from the hex form.
pub fn read_position(game: &impl Game, text: &str) -> Result<State, TextError> {
    game.parse(text).or_else(|error| {
        let is_hex = text.len() >= SHORTEST && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let Some(board) = game.description().geometry.as_ref().filter(|_| is_hex) else {
            return Err(error);
        };
        let state = State::from_bits(read(board, text)?);
        // The game checks the position.
        let of_game = |error: TextError| TextError::new(0, error.message);
        game.parse(&game.write(state)).map_err(of_game)
    })
}

/// Returns a position in the hex form, if its game has one.
pub fn write_hex(board: &Geometry, state: State) -> Result<String, TextError> {
    check(board)?;
    let digit = |cell| char::from_digit(board.rank(state.bits(), cell).into(), 16);
    let digits = (0..board.cells()).map(digit).collect::<Option<String>>();
    let digits = digits.ok_or_else(|| TextError::new(0, "a tile is larger than a hex digit"))?;
    Ok(digits.to_uppercase())
}

fn read(board: &Geometry, text: &str) -> Result<u128, TextError> {
    check(board)?;
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
    (0..).zip(text.chars()).try_fold(0, |bits, (cell, digit)| {
        let rank = digit.to_digit(16).unwrap_or_default() as u8;
        if usize::from(rank) < board.values.len() {
            return Ok(board.with_rank(bits, cell, rank));
        }
        let largest = board.values.len() - 1;
        Err(TextError::new(
            cell,
            format!("the digit {digit} is no tile: {largest:X} is the largest"),
        ))
    })
}

/// Refuses a game whose positions hold more than their cells.
fn check(board: &Geometry) -> Result<(), TextError> {
    let fields = board.extra_fields.iter().chain(&board.counted_fields);
    let fields: Vec<_> = fields.map(|field| field.name.as_str()).collect();
    if fields.is_empty() {
        return Ok(());
    }
    let message = format!(
        "the hex form holds the cells only, and positions of this game have {} too",
        fields.join(", ")
    );
    Err(TextError::new(0, message))
}
