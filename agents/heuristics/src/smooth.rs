//! `smooth`: neighbours that differ little, rows and columns that rise or fall, free
//! cells, and a large greatest tile.

use crate::board::{Board, MAX_CELLS};
use crate::finite;
use runner_core::{
    Afterstate, BuildContext, BuildError, Parameter, Plugin, Value, ValuePlugin, ValueScale,
};
use serde::{Deserialize, Serialize};

/// The parameters: the weight of each part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SmoothConfig {
    /// Of how little neighbours differ.
    pub smooth: f64,
    /// Of how evenly rows and columns rise or fall.
    pub order: f64,
    /// Of the logarithm of the number of empty cells.
    pub empty: f64,
    /// Of the logarithm of the greatest tile.
    pub greatest: f64,
}

impl Default for SmoothConfig {
    fn default() -> Self {
        Self { smooth: 0.1, order: 1.0, empty: 2.7, greatest: 1.0 }
    }
}

/// The value.
pub struct Smooth {
    board: Board,
    /// Rows, then columns.
    lines: Vec<Vec<usize>>,
    weights: SmoothConfig,
    /// The logarithm of each tile, to the base of 2.
    logs: Vec<f64>,
    /// By the number of empty cells, what they count.
    room: Vec<f64>,
    /// No board is worth less, and none more.
    bounds: (f64, f64),
}

impl Smooth {
    fn look(&self, afterstate: Afterstate) -> f64 {
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
        let SmoothConfig { smooth, order, greatest: of_greatest, .. } = self.weights;
        self.room[empty] + of_greatest * greatest - smooth * differences - order * disorder
    }
}

impl Value for Smooth {
    fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]) {
        for (value, &afterstate) in values.iter_mut().zip(afterstates) {
            *value = self.look(afterstate) as f32;
        }
    }

    fn scale(&self) -> ValueScale {
        ValueScale::Rating { min: self.bounds.0 as f32, max: self.bounds.1 as f32 }
    }
}

impl Plugin for Smooth {
    const NAME: &'static str = "smooth";
    const ABOUT: &'static str = "neighbours alike, rows and columns in order, and room";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = SmoothConfig;

    fn parameters() -> Vec<Parameter> {
        let parameter = |name, default, about| Parameter::new(name, "a number", default, about);
        vec![
            parameter("smooth", "0.1", "the weight of how little neighbours differ"),
            parameter("order", "1", "the weight of how evenly rows and columns rise or fall"),
            parameter("empty", "2.7", "the weight of the logarithm of the number of empty cells"),
            parameter("greatest", "1", "the weight of the logarithm of the greatest tile"),
        ]
    }
}

impl ValuePlugin for Smooth {
    fn new(config: SmoothConfig, site: &BuildContext<'_>) -> Result<Self, BuildError> {
        let SmoothConfig { smooth, order, empty, greatest } = config;
        for (parameter, weight) in
            [("smooth", smooth), ("order", order), ("empty", empty), ("greatest", greatest)]
        {
            finite(parameter, weight)?;
        }
        let board = Board::of(site, Self::NAME)?;
        // Without room the logarithm is that of a tenth of a cell, for there is a choice
        // between full boards too.
        let of_room = |cells: usize| empty * (cells as f64).max(0.1).ln();
        let room: Vec<f64> = (0..=board.cells()).map(of_room).collect();
        let logs: Vec<f64> = (0..32).map(|rank| board.value(rank).max(1.0).log2()).collect();
        let lines = board.lines();
        let top = logs.iter().copied().fold(0.0, f64::max);
        let steps = lines.iter().map(|line| line.len() - 1).sum::<usize>() as f64 * top;
        let costs = [-smooth * steps, -order * steps, greatest * top];
        let bound = |better: fn(f64, f64) -> f64| {
            let of_room = room.iter().copied().reduce(better).unwrap_or(0.0);
            of_room + costs.iter().map(|&cost| better(cost, 0.0)).sum::<f64>()
        };
        // A lost game is worth less than any other.
        let bounds = (bound(f64::min) - 1.0, bound(f64::max));
        Ok(Self { board, lines, weights: config, logs, room, bounds })
    }
}
