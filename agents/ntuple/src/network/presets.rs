//! Networks with names: those of the papers and of the field.

use super::text::refuse;
use super::{MAX_CELLS, Tuple};
use runner_core::BuildError;
use runner_core::board::Geometry;
use std::collections::BTreeSet;

/// The presets, for messages.
pub const NAMES: [&str; 6] = ["4x6", "5x6", "6x6", "7x6", "8x6", "17x4"];

/// The tuples of a preset (`8x6`), of shapes (`42-33`, `shape:33`), or `None` if
/// the word is neither.
pub fn named(word: &str, board: &Geometry) -> Result<Option<Vec<Tuple>>, BuildError> {
    // The first five are Matsuzaki's, who ordered 6-tuples by how much each adds.
    let cells: &[&str] = match word {
        "4x6" => return shapes("42-33", board).map(Some),
        "5x6" => &["012345", "456789", "89abcd", "012456", "45689a"],
        "6x6" => &["012456", "456789", "012345", "234569", "01259a", "345678"],
        "7x6" => &["012456", "456789", "012345", "234569", "01259a", "345678", "134567"],
        "8x6" => &["012456", "456789", "012345", "234569", "01259a", "345678", "134567", "01489a"],
        "17x4" => return straight_lines_and_squares(board).map(Some),
        _ => {
            return match word.strip_prefix("shape:") {
                Some(shape) => shapes(shape, board).map(Some),
                None if word.contains('-') && !word.starts_with('(') => {
                    shapes(word, board).map(Some)
                }
                None => Ok(None),
            };
        }
    };
    if (board.rows, board.cols) != (4, 4) {
        return Err(refuse(format!(
            "`{word}` is for boards of 4 x 4; `42-33`, or tuples by cells, fit others"
        )));
    }
    let tuple = |text: &&str| {
        let cells = text.chars().map(|digit| digit.to_digit(16).expect("a digit") as u8);
        free(cells.collect())
    };
    Ok(Some(cells.iter().map(tuple).collect()))
}

/// The network for a board where none is named.
pub fn default_text(board: &Geometry) -> String {
    match (board.rows.min(board.cols), board.rows.max(board.cols)) {
        // Every cell: what is learned is exact.
        (2, 2) => "0123".into(),
        (2, 3) => "012345".into(),
        (3, 3) => "shape:331 shape:322 shape:33".into(),
        _ => "42-33".into(),
    }
}

/// What every position of a board is thought to be worth at first, where no network is
/// named and [`default_text`] is the whole board in one table. That generalises nothing:
/// a greedy player who thinks nothing of what it has not seen never tries it. It has to
/// be more than the best play earns, but what is more must be unlearned at every position.
/// On n cells the best play of sliding games earns less than twice 2^n n: 67 and 480 in
/// 2048 on 2 x 2 and 2 x 3 cells, 81 and 615 in 2584, less in 1024 and Threes.
pub fn default_optimism(board: &Geometry) -> Option<f32> {
    let cells = board.rows * board.cols;
    let whole = board.rows.min(board.cols) == 2 && cells <= 6;
    whole.then(|| ((2 * cells) << cells) as f32)
}

fn free(cells: Vec<u8>) -> Tuple {
    Tuple { cells, extra_fields: vec![], fixed: false }
}

/// The seventeen 4-tuples of the first paper: every straight line and every
/// square, each with a table of its own.
fn straight_lines_and_squares(board: &Geometry) -> Result<Vec<Tuple>, BuildError> {
    let shapes = [&[4][..], &[1, 1, 1, 1], &[2, 2]];
    let mut tuples = Vec::new();
    for shape in shapes {
        for top in 0..board.rows {
            for left in 0..board.cols {
                let place = place(shape, top, left, board);
                tuples.extend(place.map(|cells| Tuple { fixed: true, ..free(cells) }));
            }
        }
    }
    match tuples.is_empty() {
        true => Err(refuse("`17x4` needs a board with lines or squares of four cells")),
        false => Ok(tuples),
    }
}

/// The places of shapes, joined by `-`, that the board's symmetries tell apart.
/// A shape is given by the lengths of its rows, which begin in one column. It
/// stands with its first row in the upper half of the board, which is how the
/// papers place them.
fn shapes(text: &str, board: &Geometry) -> Result<Vec<Tuple>, BuildError> {
    let mut tuples = Vec::new();
    let mut seen = BTreeSet::new();
    for word in text.split('-') {
        let shape = read_shape(word)?;
        let before = tuples.len();
        let mut forms = vec![shape.clone()];
        if board.rows != board.cols {
            forms.push(upright(&shape));
        }
        for form in &forms {
            for top in 0..board.rows.div_ceil(2) {
                for left in 0..board.cols {
                    let Some(cells) = place(form, top, left, board) else { continue };
                    if seen.insert(least_image(&cells, board)) {
                        tuples.push(free(cells));
                    }
                }
            }
        }
        if tuples.len() == before && !fits(&forms, board) {
            return Err(refuse(format!(
                "the shape `{word}` fits nowhere on {} x {}",
                board.rows, board.cols
            )));
        }
    }
    Ok(tuples)
}

fn read_shape(word: &str) -> Result<Vec<usize>, BuildError> {
    let digits = word.chars().map(|c| c.to_digit(10).map(|d| d as usize).filter(|&d| d > 0));
    match digits.collect::<Option<Vec<_>>>() {
        Some(rows) if !rows.is_empty() && rows.iter().sum::<usize>() <= MAX_CELLS => Ok(rows),
        Some(rows) if !rows.is_empty() => {
            Err(refuse(format!("the shape `{word}` has more than {MAX_CELLS} cells")))
        }
        _ => Err(refuse(format!(
            "`{word}` is no shape: the lengths of its rows are meant, as in `42` or `421`"
        ))),
    }
}

/// The shape mirrored at its diagonal.
fn upright(shape: &[usize]) -> Vec<usize> {
    let widest = shape.iter().copied().max().unwrap_or(0);
    (0..widest).map(|col| shape.iter().take_while(|&&length| length > col).count()).collect()
}

/// The cells of a shape whose first cell stands here, if it fits.
fn place(shape: &[usize], top: usize, left: usize, board: &Geometry) -> Option<Vec<u8>> {
    let mut cells = Vec::new();
    for (row, &length) in shape.iter().enumerate() {
        if top + row >= board.rows || left + length > board.cols {
            return None;
        }
        let first = (top + row) * board.cols + left;
        cells.extend((first..first + length).map(|cell| cell as u8));
    }
    Some(cells)
}

fn fits(forms: &[Vec<usize>], board: &Geometry) -> bool {
    forms.iter().any(|form| place(form, 0, 0, board).is_some())
}

/// Which of a tuple's images comes first: the same for tuples that differ by a
/// symmetry only.
fn least_image(cells: &[u8], board: &Geometry) -> Vec<u8> {
    let image = |symmetry: &runner_core::board::Symmetry| {
        let mut image: Vec<u8> = cells.iter().map(|&c| symmetry.cells[usize::from(c)]).collect();
        image.sort_unstable();
        image
    };
    board.symmetries.iter().map(image).min().unwrap_or_else(|| cells.to_vec())
}
