//! `snake-paths`: a sum of the tiles along a snake path, with geometrically falling weights;
//! the value of a board is that of its best path. From Nicola Pezzotti, *An Artificial
//! Intelligence for the 2048 Game*, 2014.

use super::board::Board;
use super::snakes::Corner;
use runner_core::geometry::MAX_CELLS;
use runner_core::{
    Afterstate, BuildContext, BuildError, Plugin, Value, ValuePlugin, ValueScale, parameters,
};

parameters! {
    /// The parameters of [`SnakePaths`].
    pub struct PathsConfig {
        /// Ratio of consecutive weights along a path
        pub ratio: f64 = 0.25, above(0.0).up_to(1.0);
    }
}

pub struct SnakePaths {
    board: Board,
    /// Two snakes from each corner, with the weight of each cell.
    paths: Vec<Vec<(usize, f32)>>,
    values: Vec<f32>,
    max: f32,
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
}

impl ValuePlugin for SnakePaths {
    fn new(config: PathsConfig, context: &BuildContext<'_>) -> Result<Self, BuildError> {
        let board = Board::of(context, Self::NAME)?;
        let weighted = |path: Vec<usize>| -> Vec<(usize, f32)> {
            let weight = |k: usize| config.ratio.powi(k as i32) as f32;
            path.into_iter().enumerate().map(|(k, cell)| (cell, weight(k))).collect()
        };
        let (rows, cols) = (board.rows(), board.cols());
        let snakes = Corner::ALL.into_iter().flat_map(|corner| corner.snakes(rows, cols));
        let values: Vec<f32> = (0..32).map(|rank| board.value(rank) as f32).collect();
        let max = board.max_value() * board.cells() as f64;
        Ok(Self { paths: snakes.map(weighted).collect(), values, max: max as f32, board })
    }
}
