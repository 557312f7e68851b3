//! Tuples and features as text.

use crate::feature::{self, Feature};
use crate::preset;
use crate::tuple::{MAX_CELLS, Tuple, network_error};
use runner_core::BuildError;
use runner_core::geometry::Geometry;

pub(crate) fn read(text: &str, board: &Geometry) -> Result<(Vec<Tuple>, Vec<Feature>), BuildError> {
    let (mut tuples, mut features) = (Vec::new(), Vec::new());
    for word in text.split_whitespace() {
        match Feature::named(word, board)? {
            Some(feature) if features.contains(&feature) => {
                return Err(network_error(format!("feature `{word}` is listed twice")));
            }
            Some(feature) => features.push(feature),
            None => tuples.extend(read_word(word, board)?),
        }
    }
    if tuples.is_empty() {
        return Err(network_error("a network needs at least one tuple"));
    }
    if let Some(k) = (1..tuples.len()).find(|&k| tuples[..k].contains(&tuples[k])) {
        let tuple = write_tuple(&tuples[k], board);
        return Err(network_error(format!("tuple `{tuple}` is listed twice")));
    }
    Ok((tuples, features))
}

/// Writes tuples and features in the form that [`read`] parses.
pub(crate) fn write(tuples: &[Tuple], features: &[Feature], board: &Geometry) -> String {
    let tuples = tuples.iter().map(|tuple| write_tuple(tuple, board));
    let features = features.iter().map(|feature| feature.text(board));
    tuples.chain(features).collect::<Vec<_>>().join(" ")
}

fn write_tuple(tuple: &Tuple, board: &Geometry) -> String {
    let mut text = if board.cells() <= 16 {
        tuple.cells.iter().map(|cell| format!("{cell:x}")).collect()
    } else {
        let cells: Vec<_> = tuple.cells.iter().map(u8::to_string).collect();
        format!("({})", cells.join(","))
    };
    for &field in &tuple.extra_fields {
        text += &format!("+{}", board.extra_fields[field].name);
    }
    if tuple.fixed {
        text.push('!');
    }
    text
}

/// Parses a preset, shapes, or a tuple, with the suffixes `+NAME` and `!`.
fn read_word(word: &str, board: &Geometry) -> Result<Vec<Tuple>, BuildError> {
    let fixed = word.ends_with('!');
    let mut parts = word.strip_suffix('!').unwrap_or(word).split('+');
    let cells = parts.next().unwrap_or_default();
    let mut extra_fields = Vec::new();
    for name in parts {
        let field = extra_field(name, board)?;
        if extra_fields.contains(&field) {
            return Err(network_error(format!("`{word}` has the field `{name}` twice")));
        }
        extra_fields.push(field);
    }
    let mut tuples = match preset::named(cells, board)? {
        Some(tuples) => tuples,
        None => vec![Tuple::of_cells(read_cells(cells, board)?)],
    };
    for tuple in &mut tuples {
        tuple.extra_fields.clone_from(&extra_fields);
        tuple.fixed |= fixed;
        if tuple.cells.len() + extra_fields.len() > MAX_CELLS {
            return Err(network_error(format!(
                "`{word}` has more than {MAX_CELLS} cells and fields"
            )));
        }
    }
    Ok(tuples)
}

fn extra_field(name: &str, board: &Geometry) -> Result<usize, BuildError> {
    board.extra_fields.iter().position(|field| field.name == name).ok_or_else(|| {
        let names: Vec<_> =
            board.extra_fields.iter().map(|field| format!("`{}`", field.name)).collect();
        let known = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        network_error(format!("the game has no field `{name}`; its fields: {known}"))
    })
}

fn quoted(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// Parses `012345` or `(0,1,2,5,6)`, and sorts the cells.
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
        return Err(network_error(format!(
            "`{word}` is not a network; expected {}, shapes like `42-33`, cells like {}, or the \
             features {}",
            quoted(&preset::NAMES),
            if board.cells() <= 16 { "`012345`" } else { "`(0,1,2,5,6)`" },
            quoted(&feature::EXAMPLES),
        )));
    };
    if let Some(cell) = cells.iter().find(|&&cell| usize::from(cell) >= board.cells()) {
        return Err(network_error(format!(
            "`{word}` has cell {cell}; a board of {} x {} has cells 0 to {}",
            board.rows,
            board.cols,
            board.cells() - 1
        )));
    }
    cells.sort_unstable();
    if let Some(pair) = cells.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(network_error(format!("`{word}` has cell {} twice", pair[0])));
    }
    Ok(cells)
}
