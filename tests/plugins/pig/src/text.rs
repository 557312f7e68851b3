//! Positions as text: `banked=20 turn=7`.

use crate::{Config, Position};
use runner_core::TextError;

pub fn write(position: Position) -> String {
    format!("banked={} turn={}", position.banked, position.turn)
}

pub fn parse(text: &str, config: &Config) -> Result<Position, TextError> {
    let (banked, at) = number(text, 0, "banked=")?;
    let (turn, end) = number(text, at, " turn=")?;
    if end < text.len() {
        return Err(TextError::new(end, "nothing may follow the turn's total"));
    }
    // The last roll of a turn begins below the target.
    let most = config.target + config.faces - 1;
    if banked + turn > most {
        let message = format!("no game has more than {most} points, banked and in the turn");
        return Err(TextError::new(at, message));
    }
    if banked >= config.target && turn > 0 {
        return Err(TextError::new(at, "the game is over, so the turn's total is 0"));
    }
    Ok(Position { banked, turn })
}

/// The number after `name`, and the byte at which it ends.
fn number(text: &str, at: usize, name: &str) -> Result<(u32, usize), TextError> {
    let Some(rest) = text[at..].strip_prefix(name) else {
        return Err(TextError::new(at, format!("`{name}` and a number are expected")));
    };
    let at = at + name.len();
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    // Six digits are more than any game has, and leave room for a sum.
    match rest[..digits].parse() {
        Ok(number) if digits <= 6 => Ok((number, at + digits)),
        _ => Err(TextError::new(at, "a number of at most six digits is expected")),
    }
}
