//! `rows`: every row and column by itself: room, merges to come, order, and not too
//! many large tiles.
//!
//! What a line of four cells is worth is looked up in a table, so that a board costs
//! eight reads.

use crate::board::{Board, MAX_CELLS};
use crate::finite;
use runner_core::lines::LineValues;
use runner_core::rows::ROWS;
use runner_core::{
    Afterstate, BuildContext, BuildError, Parameter, Plugin, Value, ValuePlugin, ValueScale,
};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RowsConfig {
    /// The worth of an empty cell.
    pub empty: f64,
    /// The worth of a tile that can merge with its neighbour.
    pub merges: f64,
    /// How much disorder costs.
    pub order: f64,
    /// To which power of its rank a tile in the wrong order does.
    pub order_power: f64,
    /// How much tiles cost.
    pub sum: f64,
    /// To which power of its rank a tile does.
    pub sum_power: f64,
    /// How much a line that is not lost is worth.
    pub lost: f64,
}

/// The weights that `rows.tune.ron` leads to.
impl Default for RowsConfig {
    fn default() -> Self {
        Self {
            empty: 302.6,
            merges: 269.6,
            order: 42.97,
            order_power: 2.863,
            sum: 6.715,
            sum_power: 3.245,
            lost: 200_000.0,
        }
    }
}

/// The value.
pub struct Rows {
    board: Board,
    lines: Vec<Vec<usize>>,
    weigh: Weigh,
    /// For boards that lie in one word, what each row and each column is worth.
    narrow: Option<LineValues>,
    most: f32,
}

/// What lines are worth.
struct Weigh {
    config: RowsConfig,
    /// By rank, what a tile counts in the order, and in the sum.
    order: Vec<f64>,
    sum: Vec<f64>,
}

impl Weigh {
    fn new(config: RowsConfig) -> Self {
        let powers = |power: f64| (0..32).map(|rank| f64::from(rank).powf(power)).collect();
        Self { order: powers(config.order_power), sum: powers(config.sum_power), config }
    }

    fn line(&self, ranks: impl Iterator<Item = u8> + Clone) -> f64 {
        let Self { config, order, sum } = self;
        let empty = ranks.clone().filter(|&rank| rank == 0).count() as f64;
        let tiles: f64 = ranks.clone().map(|rank| sum[usize::from(rank)]).sum();
        // How many tiles stand beside one like them, with nothing but room between.
        let (mut merges, mut run, mut last) = (0, 0, 0);
        for rank in ranks.clone().filter(|&rank| rank != 0).chain([0]) {
            if rank == last {
                run += 1;
            } else {
                merges += if run > 1 { run } else { 0 };
                (run, last) = (1, rank);
            }
        }
        // By how much the line falls, and by how much it rises: the less is disorder.
        let (mut falls, mut rises) = (0.0, 0.0);
        for (one, next) in ranks.clone().zip(ranks.skip(1)) {
            let step = order[usize::from(next)] - order[usize::from(one)];
            if step < 0.0 {
                falls -= step;
            } else {
                rises += step;
            }
        }
        config.lost + config.empty * empty + config.merges * f64::from(merges)
            - config.order * f64::min(falls, rises)
            - config.sum * tiles
    }

    /// What every line of a narrow board is worth that is so many cells long.
    fn table(&self, cells: usize) -> Arc<[f32; ROWS]> {
        let worth = |line: usize| {
            let ranks = (0..cells).map(|cell| (line >> (4 * cell)) as u8 & 15);
            self.line(ranks) as f32
        };
        let table: Box<[f32]> = (0..ROWS).map(worth).collect();
        let table: Box<[f32; ROWS]> = table.try_into().expect("it has so many rows");
        table.into()
    }
}

impl Value for Rows {
    fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]) {
        for (value, &afterstate) in values.iter_mut().zip(afterstates) {
            *value = match &self.narrow {
                Some(worths) if !self.board.is_beyond(afterstate) => worths.of(afterstate.lo),
                _ => self.look(afterstate),
            };
        }
    }

    fn line_values(&self) -> Option<&LineValues> {
        self.narrow.as_ref()
    }

    fn scale(&self) -> ValueScale {
        ValueScale::Rating { min: 0.0, max: self.most }
    }
}

impl Rows {
    /// What a board is worth, line by line.
    #[cold]
    pub(crate) fn look(&self, afterstate: Afterstate) -> f32 {
        let mut ranks = [0; MAX_CELLS];
        self.board.read(afterstate, &mut ranks);
        let worth = |line: &Vec<usize>| self.weigh.line(line.iter().map(|&cell| ranks[cell]));
        let worth: f64 = self.lines.iter().map(worth).sum();
        worth.max(0.0) as f32
    }
}

impl Plugin for Rows {
    const NAME: &'static str = "rows";
    const ABOUT: &'static str = "rates rows and columns: room, merges, order";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = RowsConfig;

    fn parameters() -> Vec<Parameter> {
        let parameter = |name, default, about| Parameter::new(name, "a number", default, about);
        vec![
            parameter("empty", "302.6", "the worth of an empty cell"),
            parameter("merges", "269.6", "the worth of a tile beside one like it"),
            parameter("order", "42.97", "the cost of tiles that neither rise nor fall all along"),
            parameter("order_power", "2.863", "to which power of its rank a tile costs that"),
            parameter("sum", "6.715", "the cost of a tile"),
            parameter("sum_power", "3.245", "to which power of its rank a tile costs that"),
            parameter("lost", "200000", "how much each line of a game that goes on is worth"),
        ]
    }
}

impl ValuePlugin for Rows {
    fn new(config: RowsConfig, site: &BuildContext<'_>) -> Result<Self, BuildError> {
        let RowsConfig { empty, merges, order, order_power, sum, sum_power, lost } = config;
        for (parameter, weight) in
            [("empty", empty), ("merges", merges), ("order", order), ("sum", sum), ("lost", lost)]
        {
            finite(parameter, weight)?;
        }
        for (parameter, power) in [("order_power", order_power), ("sum_power", sum_power)] {
            if !(0.0..=10.0).contains(&power) {
                return Err(BuildError::of(parameter, "a power from 0 to 10 is allowed"));
            }
        }
        let board = Board::of(site, Self::NAME)?;
        let weigh = Weigh::new(config);
        let is_narrow = board.rows() <= 4 && board.cols() <= 4;
        let narrow = is_narrow.then(|| {
            let (rows, cols) = (board.rows(), board.cols());
            let across = weigh.table(cols);
            let down = if rows == cols { across.clone() } else { weigh.table(rows) };
            LineValues::new(rows, cols, across, down, 0.0)
        });
        let lines = board.lines();
        let most = lines.len() as f64
            * (lost + empty.max(0.0).max(merges.max(0.0)) * board.rows().max(board.cols()) as f64);
        Ok(Self { board, lines, weigh, narrow, most: most as f32 })
    }
}
