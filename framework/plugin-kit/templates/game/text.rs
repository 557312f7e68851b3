//! Positions as text: `3,0,5 die=4`.

use crate::{Config, Table};
use runner_core::TextError;

pub fn write(table: Table, config: &Config) -> String {
    format!("{} die={}", write_columns(table, config), table.die)
}

pub fn write_columns(table: Table, config: &Config) -> String {
    let numbers: Vec<_> = (0..config.columns).map(|i| table.column(i).to_string()).collect();
    numbers.join(",")
}

/// Parses a position. Errors name the byte.
pub fn parse(text: &str, config: &Config) -> Result<Table, TextError> {
    let mut table = Table { columns: 0, die: 0 };
    let mut at = 0;
    for i in 0..config.columns {
        if i > 0 {
            at = after(text, at, ",")?;
        }
        let (number, end) = number(text, at, 0, config.faces)?;
        table = table.with_column(i, number);
        at = end;
    }
    at = after(text, at, " die=")?;
    (table.die, at) = number(text, at, 1, config.faces)?;
    if at < text.len() {
        return Err(TextError::new(at, "the end is expected after the die"));
    }
    Ok(table)
}

/// Returns the byte after `word`, which is expected at `at`.
fn after(text: &str, at: usize, word: &str) -> Result<usize, TextError> {
    if text[at..].starts_with(word) {
        return Ok(at + word.len());
    }
    Err(TextError::new(at, format!("`{word}` is expected")))
}

/// Returns the number at `at` and the byte after it.
fn number(text: &str, at: usize, least: u32, most: u32) -> Result<(u64, usize), TextError> {
    let digits = text[at..].bytes().take_while(u8::is_ascii_digit).count();
    match text[at..at + digits].parse::<u32>() {
        Ok(number) if (least..=most).contains(&number) => Ok((number.into(), at + digits)),
        _ => Err(TextError::new(at, format!("a number from {least} to {most} is expected"))),
    }
}
