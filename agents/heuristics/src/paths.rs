//! `snake-paths`: a sum of the tiles along a snake path, with geometrically falling weights;
//! the value of a board is that of its best path.

use crate::board::Board;
use runner_core::geometry::MAX_CELLS;
use runner_core::{
    Afterstate, BuildContext, BuildError, Parameter, Plugin, Value, ValuePlugin, ValueScale,
};
use serde::{Deserialize, Serialize};

/// The parameters of [`SnakePaths`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PathsConfig {
    /// The ratio of consecutive weights along a path.
    pub ratio: f64,
    /// Number of paths.
    pub paths: usize,
}

impl Default for PathsConfig {
    fn default() -> Self {
        Self { ratio: 0.25, paths: 8 }
    }
}

/// The value `snake-paths`.
pub struct SnakePaths {
    board: Board,
    /// The cells of each path, with their weights.
    paths: Vec<Vec<(usize, f32)>>,
    /// The displayed value of each rank.
    values: Vec<f32>,
    /// An upper bound of all board values.
    max: f32,
}

/// Returns two snakes from each corner, one along the rows and one along the columns. The
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
        ValueScale::Rating { min: -1.0, max: self.max }
    }
}

impl Plugin for SnakePaths {
    const NAME: &'static str = "snake-paths";
    const ABOUT: &'static str = "tiles along the best of several snake paths";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = PathsConfig;

    fn parameters() -> Vec<Parameter> {
        vec![
            Parameter::new(
                "ratio",
                "above 0, up to 1",
                "0.25",
                "Ratio of consecutive weights along a path",
            ),
            Parameter::new(
                "paths",
                "1 to 8",
                "8",
                "Number of snakes: two from each corner, the upper left one first",
            ),
        ]
    }
}

impl ValuePlugin for SnakePaths {
    fn new(config: PathsConfig, context: &BuildContext<'_>) -> Result<Self, BuildError> {
        let PathsConfig { ratio, paths } = config;
        if !(ratio > 0.0 && ratio <= 1.0) {
            return Err(BuildError::of("ratio", format!("{ratio} is not above 0, up to 1")));
        }
        if !(1..=8).contains(&paths) {
            return Err(BuildError::of("paths", format!("{paths} is not from 1 to 8")));
        }
        let board = Board::of(context, Self::NAME)?;
        let weighted = |path: Vec<usize>| -> Vec<(usize, f32)> {
            let weight = |k: usize| ratio.powi(k as i32) as f32;
            path.into_iter().enumerate().map(|(k, cell)| (cell, weight(k))).collect()
        };
        let snakes = snakes(board.rows(), board.cols()).into_iter().take(paths);
        let values: Vec<f32> = (0..32).map(|rank| board.value(rank) as f32).collect();
        let max = board.max_value() * board.cells() as f64;
        Ok(Self { paths: snakes.map(weighted).collect(), values, max: max as f32, board })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_snake_visits_every_cell_once() {
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
