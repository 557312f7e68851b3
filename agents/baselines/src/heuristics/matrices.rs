//! `alpha`, `beta` and `snake-exp`: weighted sums of the tiles, with a weight for each cell.
//!
//! `alpha` and `beta` are the weight matrices α and β of Yulin Zhou, *From AlphaGo Zero to 2048*,
//! 2019, figures 2 and 3. `snake-exp` comes from an answer to *What is the optimal algorithm for
//! the game 2048?* (Stack Overflow, 2014).

use super::board::Board;
use super::snakes::Corner;
use runner_core::geometry::MAX_CELLS;
use runner_core::{Afterstate, BuildContext, BuildError, Plugin, Value, ValuePlugin, ValueScale};

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
    fn new(board: Board, orientations: &[Vec<f64>], empty_term: impl Fn(usize) -> f64) -> Self {
        let term = |weight: f64, rank: usize| match rank {
            0 => 0.0,
            rank => (weight * board.value(rank as u8)) as f32,
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
    type Config = ();
}

impl ValuePlugin for Alpha {
    fn new((): (), context: &BuildContext<'_>) -> Result<Self, BuildError> {
        let board = Board::of(context, Self::NAME)?;
        let (rows, cols) = (board.rows(), board.cols());
        let weight = |cell| (rows - 1 - cell / cols + cell % cols) as f64;
        let weights = (0..rows * cols).map(weight).collect();
        Ok(Self(Matrices::new(board, &[weights], |_| 0.0)))
    }
}

impl Plugin for Beta {
    const NAME: &'static str = "beta";
    const ABOUT: &'static str = "weighted tiles; weights fall along a snake from a corner";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = ();
}

impl ValuePlugin for Beta {
    fn new((): (), context: &BuildContext<'_>) -> Result<Self, BuildError> {
        let board = Board::of(context, Self::NAME)?;
        let (rows, cols) = (board.rows(), board.cols());
        let falling = |snake: Vec<usize>| {
            let mut weights = vec![0.0; snake.len()];
            for (place, cell) in snake.into_iter().enumerate() {
                weights[cell] = BETA_RATIO.powi(place as i32);
            }
            weights
        };
        let orientations = Corner::UpperRight.snakes(rows, cols).map(falling);
        Ok(Self(Matrices::new(board, &orientations, |_| 0.0)))
    }
}

/// The published exponents of `snake-exp`.
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
    type Config = ();
}

impl ValuePlugin for SnakeExp {
    fn new((): (), context: &BuildContext<'_>) -> Result<Self, BuildError> {
        let board = Board::of(context, Self::NAME)?;
        if (board.rows(), board.cols()) != (4, 4) {
            return Err(BuildError::new("`snake-exp` needs a board of 4 x 4 cells"));
        }
        let weights = EXPONENTS.concat().into_iter().map(f64::exp).collect();
        Ok(Self(Matrices::new(board, &[weights], |empty| (empty * empty) as f64)))
    }
}
