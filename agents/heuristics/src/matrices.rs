//! `alpha`, `beta` and `snake-exp`: weighted sums of the tiles, with a weight for each cell.
//!
//! `alpha` and `beta` are the weight matrices α and β of Yulin Zhou, *From AlphaGo Zero to 2048*,
//! 2019, figures 2 and 3. `snake-exp` comes from an answer to *What is the optimal algorithm for
//! the game 2048?* (Stack Overflow, 2014).

use crate::board::Board;
use crate::snakes::Corner;
use crate::{MAX_WEIGHT, weight};
use runner_core::geometry::MAX_CELLS;
use runner_core::{
    Afterstate, Allowed, BuildContext, BuildError, Plugin, Value, ValuePlugin, ValueScale, allowed,
    parameters,
};

parameters! {
    /// The parameters of `alpha` and `beta`.
    pub struct MatrixConfig {
        /// Weight of each cell, row by row
        pub weights: Option<Vec<Vec<f64>>> = None,
            matrix().unset(
                "those that the description names: `alpha` by the distance from the upper right \
                 corner, `beta` halved from cell to cell, along the rows or the columns",
            );
    }
}

/// A number for each cell, row by row.
fn matrix() -> Allowed {
    allowed::list(allowed::list(weight()))
        .form("rows of numbers, as in [[1, 2], [0, 1]] for two rows of two cells")
}

/// Cell weights in one or more orientations. The value of a board is that of its best
/// orientation.
struct Matrices {
    board: Board,
    /// By orientation, cell and rank, the term of a tile.
    terms: Vec<Vec<[f32; RANKS]>>,
    empty_terms: Vec<f32>,
    scale: ValueScale,
}

const RANKS: usize = 32;

impl Matrices {
    fn new(
        board: Board,
        orientations: &[Vec<f64>],
        tile_term: impl Fn(f64) -> f64,
        empty_term: impl Fn(usize) -> f64,
    ) -> Self {
        let term = |weight: f64, rank: usize| match rank {
            0 => 0.0,
            rank => (weight * tile_term(board.value(rank as u8))) as f32,
        };
        let terms: Vec<Vec<[f32; RANKS]>> = orientations
            .iter()
            .map(|weights| {
                weights.iter().map(|&weight| std::array::from_fn(|r| term(weight, r))).collect()
            })
            .collect();
        let empty_terms: Vec<f32> =
            (0..=board.cells()).map(|empty| empty_term(empty) as f32).collect();
        // A game that is over has a lower value than any board.
        let bound = |better: fn(f32, f32) -> f32| {
            let of_cell = |cell: &[f32; RANKS]| cell.iter().copied().fold(0.0, better);
            let of_matrix = |cells: &Vec<[f32; RANKS]>| cells.iter().map(of_cell).sum::<f32>();
            terms.iter().map(of_matrix).fold(0.0, better)
                + empty_terms.iter().copied().fold(0.0, better)
        };
        let scale = ValueScale::Rating { min: bound(f32::min) - 1.0, max: bound(f32::max) };
        Self { board, terms, empty_terms, scale }
    }

    fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]) {
        let mut ranks = [0; MAX_CELLS];
        for (value, &afterstate) in values.iter_mut().zip(afterstates) {
            let cells = self.board.read(afterstate, &mut ranks);
            let ranks = &ranks[..cells];
            let of_matrix = |terms: &Vec<[f32; RANKS]>| -> f32 {
                terms.iter().zip(ranks).map(|(cell, &rank)| cell[usize::from(rank)]).sum()
            };
            let empty = ranks.iter().filter(|&&rank| rank == 0).count();
            let best = self.terms.iter().map(of_matrix).fold(f32::NEG_INFINITY, f32::max);
            *value = best + self.empty_terms[empty];
        }
    }
}

fn read_weights(weights: &[Vec<f64>], board: &Board) -> Result<Vec<f64>, BuildError> {
    let (rows, cols) = (board.rows(), board.cols());
    if weights.len() != rows || weights.iter().any(|row| row.len() != cols) {
        let counts: Vec<_> = weights.iter().map(Vec::len).collect();
        let message =
            format!("the board needs {rows} rows of {cols} weights; these rows have {counts:?}");
        return Err(BuildError::of("weights", message));
    }
    Ok(weights.concat())
}

/// `alpha`: weights that fall along the diagonal from the upper right corner.
pub struct Alpha(Matrices);

/// `beta`: weights that fall along a snake from that corner, along the rows or the columns,
/// whichever gives the higher value.
pub struct Beta(Matrices);

/// `snake-exp`: weights that fall exponentially along a snake, plus the square of the number
/// of empty cells.
pub struct SnakeExp(Matrices);

/// The ratio of consecutive weights along `beta`'s snake.
const BETA_RATIO: f64 = 0.5;

macro_rules! matrix_value {
    ($name:ident) => {
        impl Value for $name {
            fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]) {
                self.0.evaluate(afterstates, values);
            }

            fn scale(&self) -> ValueScale {
                self.0.scale
            }
        }
    };
}

matrix_value!(Alpha);
matrix_value!(Beta);
matrix_value!(SnakeExp);

impl Plugin for Alpha {
    const NAME: &'static str = "alpha";
    const ABOUT: &'static str = "weighted tiles; weights fall along the diagonal from a corner";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = MatrixConfig;
}

impl ValuePlugin for Alpha {
    fn new(config: MatrixConfig, context: &BuildContext<'_>) -> Result<Self, BuildError> {
        let board = Board::of(context, Self::NAME)?;
        let (rows, cols) = (board.rows(), board.cols());
        let weights = match &config.weights {
            Some(weights) => read_weights(weights, &board)?,
            None => (0..rows)
                .flat_map(|row| (0..cols).map(move |col| (rows - 1 - row + col) as f64))
                .collect(),
        };
        Ok(Self(Matrices::new(board, &[weights], |tile| tile, |_| 0.0)))
    }
}

impl Plugin for Beta {
    const NAME: &'static str = "beta";
    const ABOUT: &'static str = "weighted tiles; weights fall along a snake from a corner";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = MatrixConfig;
}

impl ValuePlugin for Beta {
    fn new(config: MatrixConfig, context: &BuildContext<'_>) -> Result<Self, BuildError> {
        let board = Board::of(context, Self::NAME)?;
        let (rows, cols) = (board.rows(), board.cols());
        let falling = |snake: Vec<usize>| {
            let mut weights = vec![0.0; snake.len()];
            for (place, cell) in snake.into_iter().enumerate() {
                weights[cell] = BETA_RATIO.powi(place as i32);
            }
            weights
        };
        let orientations = match &config.weights {
            Some(weights) => vec![read_weights(weights, &board)?],
            None => Corner::UpperRight.snakes(rows, cols).map(falling).into(),
        };
        Ok(Self(Matrices::new(board, &orientations, |tile| tile, |_| 0.0)))
    }
}

parameters! {
    /// The parameters of `snake-exp`.
    pub struct SnakeExpConfig {
        /// Exponent of each cell's weight, row by row
        pub exponents: Option<Vec<Vec<f64>>> = None,
            matrix().unset("a snake; only for 4 x 4 cells");
        /// Factor of the tiles
        pub tiles: f64 = 1.0, weight();
        /// Factor of the squared number of empty cells
        pub empty: f64 = 1.0, weight();
    }
}

/// The published exponents of `snake-exp`, for a board of 4 x 4.
const EXPONENTS: [[f64; 4]; 4] = [
    [10.0, 8.0, 7.0, 6.5],
    [0.5, 0.7, 1.0, 3.0],
    [-0.5, -1.5, -1.8, -2.0],
    [-3.8, -3.7, -3.5, -3.0],
];

impl Plugin for SnakeExp {
    const NAME: &'static str = "snake-exp";
    const ABOUT: &'static str = "weighted tiles, exponentially along a snake, and empty cells";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = SnakeExpConfig;
}

impl ValuePlugin for SnakeExp {
    fn new(config: SnakeExpConfig, context: &BuildContext<'_>) -> Result<Self, BuildError> {
        let board = Board::of(context, Self::NAME)?;
        let SnakeExpConfig { tiles, empty, .. } = config;
        let exponents = match &config.exponents {
            Some(exponents) => read_weights(exponents, &board).map_err(|mut error| {
                error.parameter = Some("exponents".to_owned());
                error
            })?,
            None if (board.rows(), board.cols()) == (4, 4) => EXPONENTS.concat(),
            None => {
                let message = "the default exists for 4 x 4 only: give exponents for this board";
                return Err(BuildError::of("exponents", message));
            }
        };
        let weights: Vec<f64> = exponents.into_iter().map(f64::exp).collect();
        if let Some(weight) = weights.iter().find(|weight| **weight > MAX_WEIGHT) {
            let max = MAX_WEIGHT.ln();
            let message =
                format!("the weight {weight:e} is too great: exponents up to {max:.1} are allowed");
            return Err(BuildError::of("exponents", message));
        }
        let empty_term = |cells: usize| empty * (cells * cells) as f64;
        Ok(Self(Matrices::new(board, &[weights], |tile| tiles * tile, empty_term)))
    }
}
