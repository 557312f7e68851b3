//! `snake-paths`: tiles in the order of a path over the board, each counting less than
//! the one before; of several paths the best counts.

use crate::board::{Board, MAX_CELLS};
use runner_core::{
    Afterstate, BuildContext, BuildError, Parameter, Plugin, Value, ValuePlugin, ValueScale,
};
use serde::{Deserialize, Serialize};

/// The parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PathsConfig {
    /// How much a tile counts of what the one before counts.
    pub ratio: f64,
    /// Over how many paths.
    pub paths: usize,
}

impl Default for PathsConfig {
    fn default() -> Self {
        Self { ratio: 0.25, paths: 8 }
    }
}

/// The value.
pub struct SnakePaths {
    board: Board,
    /// The cells of each path, with their weights.
    paths: Vec<Vec<(usize, f32)>>,
    /// What each rank shows.
    values: Vec<f32>,
    most: f32,
}

/// The snakes from every corner, along the rows first, then along the columns: the
/// first two begin in the upper left corner.
fn snakes(rows: usize, cols: usize) -> Vec<Vec<usize>> {
    let snake = |lines: usize, length: usize, cell: &dyn Fn(usize, usize) -> usize| {
        let turn = |line: usize, k: usize| if line.is_multiple_of(2) { k } else { length - 1 - k };
        let line = |line: usize| (0..length).map(move |k| (line, turn(line, k)));
        (0..lines).flat_map(line).map(|(line, k)| cell(line, k)).collect::<Vec<_>>()
    };
    let mut all = Vec::new();
    for (down, right) in [(false, false), (false, true), (true, false), (true, true)] {
        let cell = |row: usize, col: usize| {
            let row = if down { rows - 1 - row } else { row };
            let col = if right { cols - 1 - col } else { col };
            row * cols + col
        };
        all.push(snake(rows, cols, &cell));
        all.push(snake(cols, rows, &|col, row| cell(row, col)));
    }
    all
}

impl Value for SnakePaths {
    fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]) {
        let mut ranks = [0; MAX_CELLS];
        let mut tiles = [0.0; MAX_CELLS];
        for (value, &afterstate) in values.iter_mut().zip(afterstates) {
            let cells = self.board.read(afterstate, &mut ranks);
            for (tile, &rank) in tiles.iter_mut().zip(&ranks[..cells]) {
                *tile = self.values[usize::from(rank)];
            }
            let along = |path: &Vec<(usize, f32)>| -> f32 {
                path.iter().map(|&(cell, weight)| weight * tiles[cell]).sum()
            };
            *value = self.paths.iter().map(along).fold(0.0, f32::max);
        }
    }

    fn scale(&self) -> ValueScale {
        ValueScale::Rating { min: -1.0, max: self.most }
    }
}

impl Plugin for SnakePaths {
    const NAME: &'static str = "snake-paths";
    const ABOUT: &'static str = "tiles in the order of the best of several paths over the board";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = PathsConfig;

    fn parameters() -> Vec<Parameter> {
        vec![
            Parameter::new(
                "ratio",
                "above 0, up to 1",
                "0.25",
                "how much a tile counts of what the one before it on the path does",
            ),
            Parameter::new(
                "paths",
                "1 to 8",
                "8",
                "how many snakes: two from each corner, from the upper left one first",
            ),
        ]
    }
}

impl ValuePlugin for SnakePaths {
    fn new(config: PathsConfig, site: &BuildContext<'_>) -> Result<Self, BuildError> {
        let PathsConfig { ratio, paths } = config;
        if !(ratio > 0.0 && ratio <= 1.0) {
            return Err(BuildError::of("ratio", "a number above 0, up to 1, is allowed"));
        }
        if !(1..=8).contains(&paths) {
            return Err(BuildError::of("paths", "1 to 8 are allowed"));
        }
        let board = Board::of(site, Self::NAME)?;
        let weighted = |path: Vec<usize>| -> Vec<(usize, f32)> {
            let weight = |k: usize| ratio.powi(k as i32) as f32;
            path.into_iter().enumerate().map(|(k, cell)| (cell, weight(k))).collect()
        };
        let snakes = snakes(board.rows(), board.cols()).into_iter().take(paths);
        let values: Vec<f32> = (0..32).map(|rank| board.value(rank) as f32).collect();
        let most = board.greatest() * board.cells() as f64;
        Ok(Self { paths: snakes.map(weighted).collect(), values, most: most as f32, board })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn snakes_go_over_every_cell_from_every_corner() {
        let snakes = snakes(2, 3);
        assert_eq!(snakes[0], [0, 1, 2, 5, 4, 3]);
        assert_eq!(snakes[1], [0, 3, 4, 1, 2, 5]);
        assert_eq!(snakes[7], [5, 2, 1, 4, 3, 0]);
        for snake in snakes {
            let mut cells = snake.clone();
            cells.sort_unstable();
            assert_eq!(cells, [0, 1, 2, 3, 4, 5]);
        }
    }
}
