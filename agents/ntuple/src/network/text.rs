//! Networks as text.

use super::{MAX_CELLS, Tuple, presets};
use runner_core::BuildError;
use runner_core::board::Geometry;

/// Reads all tuples of a network.
pub fn read(text: &str, board: &Geometry) -> Result<Vec<Tuple>, BuildError> {
    let mut tuples = Vec::new();
    for word in text.split_whitespace() {
        tuples.extend(read_word(word, board)?);
    }
    if tuples.is_empty() {
        return Err(refuse("a network needs one tuple at least"));
    }
    if let Some(k) = (1..tuples.len()).find(|&k| tuples[..k].contains(&tuples[k])) {
        return Err(refuse(format!("the tuple {} is there twice", write_one(&tuples[k], board))));
    }
    Ok(tuples)
}

/// Writes tuples so that [`read`] reads them.
pub fn write(tuples: &[Tuple], board: &Geometry) -> String {
    tuples.iter().map(|tuple| write_one(tuple, board)).collect::<Vec<_>>().join(" ")
}

fn write_one(tuple: &Tuple, board: &Geometry) -> String {
    let mut text = if board.cells() <= 16 {
        tuple.cells.iter().map(|cell| format!("{cell:x}")).collect()
    } else {
        let cells: Vec<_> = tuple.cells.iter().map(u8::to_string).collect();
        format!("({})", cells.join(","))
    };
    for &mark in &tuple.extra_fields {
        text += &format!("+{}", board.extra_fields[mark].name);
    }
    if tuple.fixed {
        text.push('!');
    }
    text
}

/// One word: a preset, shapes, or a tuple, with what is appended to it.
fn read_word(word: &str, board: &Geometry) -> Result<Vec<Tuple>, BuildError> {
    let (rest, fixed) = match word.strip_suffix('!') {
        Some(rest) => (rest, true),
        None => (word, false),
    };
    let mut parts = rest.split('+');
    let cells = parts.next().unwrap_or_default();
    let mut extra_fields = Vec::new();
    for name in parts {
        let mark = mark(name, board)?;
        if extra_fields.contains(&mark) {
            return Err(refuse(format!("`{word}` has the mark `{name}` twice")));
        }
        extra_fields.push(mark);
    }
    let mut tuples = match presets::named(cells, board)? {
        Some(tuples) => tuples,
        None => {
            vec![Tuple { cells: read_cells(cells, board)?, extra_fields: vec![], fixed: false }]
        }
    };
    for tuple in &mut tuples {
        tuple.extra_fields.clone_from(&extra_fields);
        tuple.fixed |= fixed;
        if tuple.cells.len() + extra_fields.len() > MAX_CELLS {
            return Err(refuse(format!("`{word}` has more than {MAX_CELLS} cells")));
        }
    }
    Ok(tuples)
}

fn mark(name: &str, board: &Geometry) -> Result<usize, BuildError> {
    board.extra_fields.iter().position(|mark| mark.name == name).ok_or_else(|| {
        let names: Vec<_> =
            board.extra_fields.iter().map(|mark| format!("`{}`", mark.name)).collect();
        let known = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        refuse(format!("the game extra_fields nothing as `{name}`; it extra_fields: {known}"))
    })
}

/// Reads `012345` or `(0,1,2,5,6)`, and puts the cells into their order.
fn read_cells(word: &str, board: &Geometry) -> Result<Vec<u8>, BuildError> {
    let list = word.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let cells: Option<Vec<u8>> = match list {
        Some(list) => list.split(',').map(|cell| cell.trim().parse().ok()).collect(),
        None if board.cells() <= 16 && !word.is_empty() => {
            word.chars().map(|digit| digit.to_digit(16).map(|cell| cell as u8)).collect()
        }
        None => None,
    };
    let Some(mut cells) = cells else {
        return Err(refuse(format!(
            "`{word}` is no network: {}, shapes like `42-33`, or cells like {}",
            presets::NAMES.map(|name| format!("`{name}`")).join(", "),
            if board.cells() <= 16 { "`012345`" } else { "`(0,1,2,5,6)`" },
        )));
    };
    let size = (board.rows, board.cols);
    if let Some(cell) = cells.iter().find(|&&cell| usize::from(cell) >= board.cells()) {
        return Err(refuse(format!(
            "`{word}` has cell {cell}; the cells of {} x {} are 0 to {}",
            size.0,
            size.1,
            board.cells() - 1
        )));
    }
    cells.sort_unstable();
    if let Some(pair) = cells.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(refuse(format!("`{word}` has cell {} twice", pair[0])));
    }
    Ok(cells)
}

pub fn refuse(message: impl Into<String>) -> BuildError {
    BuildError::of("network", message.into())
}
