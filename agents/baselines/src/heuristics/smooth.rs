//! `smooth`: similar neighbours, monotonic rows and columns, empty cells, and a large max tile.
//! The terms and their weights are those of ovolve (Matt Overlan, *2048-AI*, 2014).

use super::board::Board;
use runner_core::geometry::MAX_CELLS;
use runner_core::{Afterstate, BuildContext, BuildError, Plugin, Value, ValuePlugin, ValueScale};

/// Penalty weight of the differences between neighbours.
const DIFFERENCES: f64 = 0.1;
/// Penalty weight of lines that are not monotonic.
const DISORDER: f64 = 1.0;
/// Weight of the logarithm of the number of empty cells.
const EMPTY: f64 = 2.7;
/// Weight of the base-2 logarithm of the max tile.
const GREATEST: f64 = 1.0;

pub struct Smooth {
    board: Board,
    /// The cells of each row, then of each column.
    lines: Vec<Vec<usize>>,
    /// The base-2 logarithm of each tile.
    logs: Vec<f64>,
    empty_terms: Vec<f64>,
    bounds: (f64, f64),
}

impl Smooth {
    fn evaluate_board(&self, afterstate: Afterstate) -> f64 {
        let mut ranks = [0; MAX_CELLS];
        let cells = self.board.read(afterstate, &mut ranks);
        let (mut differences, mut rises, mut falls) = (0.0, [0.0; 2], [0.0; 2]);
        for (k, line) in self.lines.iter().enumerate() {
            let across = usize::from(k >= self.board.rows());
            let tiles = line.iter().map(|&cell| ranks[cell]).filter(|&rank| rank != 0);
            let mut last = None;
            for tile in tiles.map(|rank| self.logs[usize::from(rank)]) {
                if let Some(last) = last {
                    let step: f64 = tile - last;
                    differences += step.abs();
                    rises[across] += step.max(0.0);
                    falls[across] += (-step).max(0.0);
                }
                last = Some(tile);
            }
        }
        let disorder: f64 = (0..2).map(|k| f64::min(rises[k], falls[k])).sum();
        let ranks = &ranks[..cells];
        let empty = ranks.iter().filter(|&&rank| rank == 0).count();
        let greatest = ranks.iter().map(|&rank| self.logs[usize::from(rank)]).fold(0.0, f64::max);
        self.empty_terms[empty] + GREATEST * greatest
            - DIFFERENCES * differences
            - DISORDER * disorder
    }
}

impl Value for Smooth {
    fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]) {
        for (value, &afterstate) in values.iter_mut().zip(afterstates) {
            *value = self.evaluate_board(afterstate) as f32;
        }
    }

    fn scale(&self) -> ValueScale {
        ValueScale::Rating { min: self.bounds.0 as f32, max: self.bounds.1 as f32 }
    }
}

impl Plugin for Smooth {
    const NAME: &'static str = "smooth";
    const ABOUT: &'static str = "similar neighbours, monotonic rows and columns, and empty cells";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = ();
}

impl ValuePlugin for Smooth {
    fn new((): (), context: &BuildContext<'_>) -> Result<Self, BuildError> {
        let board = Board::of(context, Self::NAME)?;
        // A full board counts as a tenth of an empty cell, whose logarithm is finite.
        let empty_term = |cells: usize| EMPTY * (cells as f64).max(0.1).ln();
        let empty_terms: Vec<f64> = (0..=board.cells()).map(empty_term).collect();
        let logs: Vec<f64> = (0..32).map(|rank| board.value(rank).max(1.0).log2()).collect();
        let lines = board.lines();
        let top = logs.iter().copied().fold(0.0, f64::max);
        let steps = lines.iter().map(|line| line.len() - 1).sum::<usize>() as f64 * top;
        let costs = [-DIFFERENCES * steps, -DISORDER * steps, GREATEST * top];
        let bound = |better: fn(f64, f64) -> f64| {
            let of_empty = empty_terms.iter().copied().reduce(better).unwrap_or(0.0);
            of_empty + costs.iter().map(|&cost| better(cost, 0.0)).sum::<f64>()
        };
        // A game that is over has a lower value than any board.
        let bounds = (bound(f64::min) - 1.0, bound(f64::max));
        Ok(Self { board, lines, logs, empty_terms, bounds })
    }
}
