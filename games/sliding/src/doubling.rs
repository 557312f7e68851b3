//! The line rule of 2048 and of games like it: equal tiles merge to their sum.

use crate::{Entry, LineRule, slide_far};
use runner_core::BuildError;

/// The rank of a stone, on boards with stones. The tiles then have the ranks above.
const STONE: u8 = 1;

/// Tiles that are powers of two, of which two equal ones merge to the next. Two of the largest do
/// not.
#[derive(Clone, Debug)]
pub struct Doubling {
    /// The displayed values: empty, the stone if there is one, then the tiles.
    values: Vec<u64>,
    stones: Vec<usize>,
}

impl Doubling {
    /// Creates the rule for the tiles from `lowest` to `largest`, and stones in these cells.
    pub fn new(lowest: u64, largest: u64, stones: Vec<usize>) -> Self {
        let tiles = (lowest.ilog2()..=largest.ilog2()).map(|k| 1 << k);
        let no_tiles = if stones.is_empty() { vec![0] } else { vec![0, 0] };
        Self { values: no_tiles.into_iter().chain(tiles).collect(), stones }
    }

    /// Returns the entry of a tile, or why it cannot enter.
    pub fn entry(&self, tile: u64, probability: f64) -> Result<Entry, String> {
        match self.values.iter().rposition(|&value| value == tile && tile != 0) {
            Some(rank @ ..16) => Ok(Entry { rank: rank as u8, probability }),
            Some(_) => {
                Err(format!("{tile} cannot enter, the largest that can is {}", self.values[15]))
            }
            None => Err(format!("{tile} is no tile of this game")),
        }
    }
}

impl LineRule for Doubling {
    fn values(&self) -> Vec<u64> {
        self.values.clone()
    }

    fn blocked(&self) -> &[usize] {
        &self.stones
    }

    fn push(&self, line: &mut [u8]) -> f32 {
        let merge = |a: u8, b: u8| {
            let made = *self.values.get(usize::from(a) + 1)?;
            (a == b).then_some((a + 1, made as f32))
        };
        let is_stone = |rank: &u8| *rank == STONE && !self.stones.is_empty();
        line.split_mut(is_stone).map(|part| slide_far(part, merge)).sum()
    }
}

/// Returns the cells of stones in ascending order, or an error for this parameter of a board of
/// valid size.
pub fn stones(
    parameter: &str,
    mut cells: Vec<usize>,
    rows: usize,
    cols: usize,
) -> Result<Vec<usize>, BuildError> {
    cells.sort_unstable();
    if let Some(pair) = cells.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(BuildError::of(parameter, format!("cell {} is listed twice", pair[0])));
    }
    if let Some(cell) = cells.last().filter(|&&cell| cell >= rows * cols) {
        let last = rows * cols - 1;
        let message = format!("{cell} is not from 0 to {last}: cells are counted row by row");
        return Err(BuildError::of(parameter, message));
    }
    if cells.len() == rows * cols {
        let message = "every cell holds a stone: leave one to the tiles";
        return Err(BuildError::of(parameter, message));
    }
    Ok(cells)
}
