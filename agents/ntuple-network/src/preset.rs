//! The tuples of presets, which are networks with a name, and of shapes.

use crate::tuple::{MAX_CELLS, Tuple, network_error};
use runner_core::BuildError;
use runner_core::geometry::{Geometry, Symmetry};
use std::collections::BTreeSet;

pub(crate) const NAMES: [&str; 6] = ["4x6", "5x6", "6x6", "7x6", "8x6", "17x4"];

/// Returns the tuples of a preset (`8x6`) or of shapes (`42-33`, `shape:33`), or `None` if the
/// word is neither.
pub(crate) fn named(word: &str, board: &Geometry) -> Result<Option<Vec<Tuple>>, BuildError> {
    // `5x6` to `8x6` are of K. Matsuzaki, "Systematic selection of n-tuple networks with
    // consideration of interinfluence for game 2048" (2016).
    let cells: &[&str] = match word {
        // The network of K.-H. Yeh and others, "Multi-stage temporal difference learning for
        // 2048-like games" (2017), Fig. 4: 42-33 in the upper half of the board.
        "4x6" => return shapes("42-33", board.rows.div_ceil(2), board).map(Some),
        "5x6" => &["012345", "456789", "89abcd", "012456", "45689a"],
        "6x6" => &["012456", "456789", "012345", "234569", "01259a", "345678"],
        "7x6" => &["012456", "456789", "012345", "234569", "01259a", "345678", "134567"],
        "8x6" => &["012456", "456789", "012345", "234569", "01259a", "345678", "134567", "01489a"],
        "17x4" => return straight_lines_and_squares(board).map(Some),
        _ => {
            let after_prefix = word.strip_prefix("shape:");
            if after_prefix.is_none() && (!word.contains('-') || word.starts_with('(')) {
                return Ok(None);
            }
            return shapes(after_prefix.unwrap_or(word), board.rows, board).map(Some);
        }
    };
    if (board.rows, board.cols) != (4, 4) {
        return Err(network_error(format!(
            "preset `{word}` needs a board of 4 x 4; use `4x6` or tuples of cells on others"
        )));
    }
    let tuple = |text: &&str| {
        let cells = text.chars().map(|digit| digit.to_digit(16).expect("a digit") as u8);
        Tuple::of_cells(cells.collect())
    };
    Ok(Some(cells.iter().map(tuple).collect()))
}

/// Returns the seventeen 4-tuples of M. Szubert and W. Jaśkowski, "Temporal difference learning of
/// n-tuple networks for the game 2048" (2014): every straight line and every square, each with its
/// own table.
fn straight_lines_and_squares(board: &Geometry) -> Result<Vec<Tuple>, BuildError> {
    let shapes = ["4", "1111", "22"];
    let mut tuples = Vec::new();
    for shape in shapes {
        let shape = parse_shape(shape)?;
        for top in 0..board.rows {
            for left in 0..board.cols {
                let cells = cells_at(&shape, top, left, board);
                tuples.extend(cells.map(|cells| Tuple { fixed: true, ..Tuple::of_cells(cells) }));
            }
        }
    }
    if tuples.is_empty() {
        Err(network_error("preset `17x4` needs a board with lines or squares of 4 cells"))
    } else {
        Ok(tuples)
    }
}

/// Returns the tuples of shapes, joined by `-`, at all positions whose first row is in `0..end`;
/// of those that symmetries map to each other, the first. The text of a shape is the lengths of
/// its rows, which begin in the same column.
fn shapes(text: &str, end: usize, board: &Geometry) -> Result<Vec<Tuple>, BuildError> {
    let mut tuples = Vec::new();
    let mut seen = BTreeSet::new();
    for word in text.split('-') {
        let shape = parse_shape(word)?;
        let mut forms = vec![shape.clone()];
        // No symmetry transposes a board that is not square.
        if board.rows != board.cols {
            forms.push(shape.iter().map(|&(row, col)| (col, row)).collect());
        }
        for form in &forms {
            for top in 0..end {
                for left in 0..board.cols {
                    let Some(cells) = cells_at(form, top, left, board) else { continue };
                    if seen.insert(least_image(&cells, board)) {
                        tuples.push(Tuple::of_cells(cells));
                    }
                }
            }
        }
        if forms.iter().all(|form| cells_at(form, 0, 0, board).is_none()) {
            return Err(network_error(format!(
                "shape `{word}` does not fit on a board of {} x {}",
                board.rows, board.cols
            )));
        }
    }
    Ok(tuples)
}

/// The cells of a shape, each with its row and column counted from those of the first cell.
type Form = Vec<(usize, usize)>;

fn parse_shape(word: &str) -> Result<Form, BuildError> {
    let digits = word.chars().map(|c| c.to_digit(10).map(|d| d as usize).filter(|&d| d > 0));
    match digits.collect::<Option<Vec<_>>>() {
        Some(rows) if !rows.is_empty() && rows.iter().sum::<usize>() <= MAX_CELLS => {
            let cells = |(row, &length)| (0..length).map(move |col| (row, col));
            Ok(rows.iter().enumerate().flat_map(cells).collect())
        }
        Some(rows) if !rows.is_empty() => {
            Err(network_error(format!("shape `{word}` has more than {MAX_CELLS} cells")))
        }
        _ => Err(network_error(format!(
            "`{word}` is not a shape; a shape is the lengths of its rows, as in `42` or `421`"
        ))),
    }
}

/// Returns the ascending cells of a shape from this row and column on, if it fits.
fn cells_at(form: &Form, top: usize, left: usize, board: &Geometry) -> Option<Vec<u8>> {
    let cell = |&(row, col): &(usize, usize)| {
        let (row, col) = (top + row, left + col);
        (row < board.rows && col < board.cols).then_some((row * board.cols + col) as u8)
    };
    let mut cells: Vec<u8> = form.iter().map(cell).collect::<Option<_>>()?;
    cells.sort_unstable();
    Some(cells)
}

/// Returns the least of a tuple's images, which is equal for tuples that differ by a symmetry.
fn least_image(cells: &[u8], board: &Geometry) -> Vec<u8> {
    let image = |symmetry: &Symmetry| {
        let mut image: Vec<u8> = cells.iter().map(|&c| symmetry.cells[usize::from(c)]).collect();
        image.sort_unstable();
        image
    };
    board.symmetries.iter().map(image).min().unwrap_or_else(|| cells.to_vec())
}
