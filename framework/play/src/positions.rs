//! Files of positions: one on each line, as text or in the columns of CSV.

use crate::failure::Failure;
use crate::position::{is_over, parse};
use runner_core::{Game, State, catch};
use runner_plugin::{LoadedGame, Registry};
use runner_spec::quantity::counted;
use std::path::Path;

/// A line of a file, with its position or the reason why it has none.
pub struct Line {
    /// Number of the line, counted from 1.
    pub number: usize,
    pub position: Result<State, Failure>,
}

/// Names of the column of positions, in lower case.
const COLUMN: [&str; 2] = ["position", "state"];

/// The column of positions, as a header names it.
struct Column {
    /// Place of the column, counted from 0.
    place: usize,
    columns: usize,
}

/// The lines of a file of positions.
pub struct Positions {
    /// The lines that hold positions, at least one.
    pub lines: Vec<Line>,
    /// Number of the line that is a header, if there is one.
    pub header: Option<usize>,
}

/// Parses the text of a file with a position on each line.
///
/// A line holds the position in one of three forms:
///
/// - the text of the position, alone on the line or in the first field of several;
/// - the text of the position, in the column that a header names `position` or `state`;
/// - one tile in each column, row by row, followed by the rest of the text; an empty cell is 0 or
///   nothing.
///
/// Empty lines, and lines that begin with `#` and hold no position, are skipped.
pub fn parse_lines(
    text: &str,
    file: &Path,
    game: &LoadedGame,
    registry: &Registry,
) -> Result<Positions, Failure> {
    let mut lines = Vec::new();
    let (mut header, mut column, mut is_first) = (None, None, true);
    for (number, line) in (1..).zip(text.lines()) {
        let fields = fields(line);
        let position = position_text(line, &fields, column.as_ref(), game)
            .and_then(|text| parse(game, &text, registry));
        if line.trim().is_empty() || (line.trim_start().starts_with('#') && position.is_err()) {
            continue;
        }
        if std::mem::take(&mut is_first) && position.is_err() && is_header(&fields) {
            column = Column::of(&fields);
            header = Some(number);
            continue;
        }
        lines.push(Line { number, position });
    }
    match lines.is_empty() {
        true => Err(Failure::in_file(file, "no positions in this file")),
        false => Ok(Positions { lines, header }),
    }
}

/// Reads a text in UTF-8, without its byte order mark. Spreadsheets also write UTF-16, which has zero
/// bytes, and Latin-1.
pub fn read_text(file: &Path) -> Result<String, Failure> {
    let bytes = runner_files::read(file)?;
    let wrong = match str::from_utf8(&bytes) {
        Ok(text) => text.find('\0'),
        Err(error) => Some(error.valid_up_to()),
    };
    if let Some(at) = wrong {
        let line = 1 + bytes[..at].iter().filter(|&&byte| byte == b'\n').count();
        let message = format!("line {line} is not UTF-8 text; save the file in the encoding UTF-8");
        return Err(Failure::in_file(file, message));
    }
    let text = String::from_utf8_lossy(&bytes);
    Ok(text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned())
}

/// Returns the positions of a file's lines. Games must be able to begin at each of them.
pub fn starts(lines: Vec<Line>, file: &Path, game: &LoadedGame) -> Result<Vec<State>, Failure> {
    let parsed = lines.into_iter().map(|Line { number, position }| {
        position.map_err(|failure| match failure {
            Failure::Usage { message, place } => {
                let message = format!("{}, line {number}: {message}", file.display());
                Failure::Usage { message, place }
            }
            other => other,
        })
    });
    let starts: Vec<_> = parsed.collect::<Result<_, _>>()?;
    for &start in &starts {
        if is_over(game, start)? {
            let text = catch(|| game.rules.write(start))?;
            return Err(Failure::in_file(file, format!("no legal action in {text}")));
        }
    }
    Ok(starts)
}

impl Column {
    /// Returns the column of positions of a header. A header of one column says nothing of the fields:
    /// the position may be unquoted.
    fn of(header: &[String]) -> Option<Self> {
        let place = header.iter().position(|name| COLUMN.contains(&&*name.to_lowercase()))?;
        (header.len() > 1).then_some(Self { place, columns: header.len() })
    }
}

/// Returns the text of the position of a line. An empty field after the tiles is refused: it may be the
/// last tile of a line that begins with another column.
fn position_text(
    line: &str,
    fields: &[String],
    column: Option<&Column>,
    game: &LoadedGame,
) -> Result<String, Failure> {
    if line.matches('"').count() % 2 == 1 {
        return Err(Failure::usage(
            "a quote is not closed on this line; each position must be on one line",
        ));
    }
    if let Some(&Column { place, columns }) = column {
        if fields.len() != columns {
            let advice = match fields.len() > columns {
                true => "; a position that contains the separator of the columns must be quoted",
                false => "",
            };
            return Err(Failure::usage(format!(
                "{} for {columns} columns of the header{advice}",
                counted(fields.len() as u64, "field")
            )));
        }
        return Ok(fields[place].clone());
    }
    if let Some(board) = &game.rules.description().geometry
        && let Some((cells, rest)) = fields.split_at_checked(board.cells())
        && !cells.iter().any(|cell| cell.contains('/'))
    {
        if rest.first().is_some_and(String::is_empty) {
            return Err(Failure::usage(format!(
                "{} fields for {} cells; the columns of a line are the tiles, then the rest of the \
                 position",
                fields.len(),
                board.cells()
            )));
        }
        let tile = |cell: &String| if cell.is_empty() { "0".to_owned() } else { cell.clone() };
        let tiles: Vec<_> = cells.iter().map(tile).collect();
        let rows: Vec<_> = tiles.chunks(board.cols).map(|row| row.join(",")).collect();
        let parts = std::iter::once(rows.join("/")).chain(rest.iter().cloned());
        return Ok(parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" "));
    }
    Ok(match line.trim_start().starts_with('"') || delimiter(line) != ',' {
        true => fields[0].clone(),
        false => line.trim().to_owned(),
    })
}

/// Returns true if fields are the names of columns: one of them is that of the position, or there
/// are several and none is a number or a board.
fn is_header(fields: &[String]) -> bool {
    let is_name = |field: &String| field.starts_with(char::is_alphabetic) && !field.contains('/');
    fields.iter().any(|name| COLUMN.contains(&&*name.to_lowercase()))
        || (fields.len() > 1 && fields.iter().all(is_name))
}

/// Returns the character between the fields of a line: a tab or a semicolon, if one is outside of
/// quotes, or else a comma.
fn delimiter(line: &str) -> char {
    let unquoted = || line.split('"').step_by(2);
    ['\t', ';'].into_iter().find(|&c| unquoted().any(|part| part.contains(c))).unwrap_or(',')
}

/// Returns the fields of a line of CSV; at least one.
fn fields(line: &str) -> Vec<String> {
    let delimiter = delimiter(line);
    let (mut fields, mut field, mut quoted) = (Vec::new(), String::new(), false);
    let mut characters = line.trim().chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '"' if quoted && characters.peek() == Some(&'"') => {
                characters.next();
                field.push('"');
            }
            '"' => quoted = !quoted,
            c if c == delimiter && !quoted => fields.push(std::mem::take(&mut field)),
            c => field.push(c),
        }
    }
    fields.push(field);
    fields.iter().map(|field| field.trim().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_separated_outside_of_quotes() {
        assert_eq!(fields(r#" "2,4/0,0", up ,1.5"#), ["2,4/0,0", "up", "1.5"]);
        assert_eq!(fields("2,4/0,0;up"), ["2,4/0,0", "up"]);
        assert_eq!(fields("2\t4\t\t0"), ["2", "4", "", "0"]);
        assert_eq!(fields(r#""say ""no""""#), [r#"say "no""#]);
        assert_eq!(fields("\"a;b\tc\",d"), ["a;b\tc", "d"]);
        assert_eq!(fields(r#""a,""b;""";c"#), [r#"a,"b;""#, "c"]);
        assert_eq!(fields(""), [""]);
    }

    #[test]
    fn names_of_columns_are_a_header() {
        let is = |line| is_header(&fields(line));
        assert!(is("position,choice,up") && is("id,State") && is("a1,a2,b1,b2") && is("Position"));
        assert!(!is("2,4,8,2") && !is("x,2/4,8") && !is("nonsense") && !is("a,b,3"));
    }
}
