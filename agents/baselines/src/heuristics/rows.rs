//! `rows`: a sum over all rows and columns of empty cells, possible merges, monotonicity
//! and a penalty for large tiles. The terms are those of nneonneo and Petr Morávek in an answer
//! to *What is the optimal algorithm for the game 2048?* (Stack Overflow, 2014).
//!
//! On boards of up to 4 x 4, the value of each line comes from a table with an entry for
//! every content of a line, so that a board costs eight table lookups.

use super::board::Board;
use runner_core::geometry::MAX_CELLS;
use runner_core::lines::LineValues;
use runner_core::rows::ROWS;
use runner_core::{
    Afterstate, Allowed, BuildContext, BuildError, Plugin, Value, ValuePlugin, ValueScale, allowed,
    parameters,
};
use std::sync::Arc;

/// A weight whose product with a power of a rank and the number of cells still fits an `f32`.
fn weight() -> Allowed {
    allowed::range(-1e12..=1e12)
}

parameters! {
    /// The parameters of [`Rows`]. The defaults are the weights that tuning with `rows.tune.ron`
    /// found.
    pub struct RowsConfig {
        /// Weight of an empty cell
        pub empty: f64 = 302.6, weight();
        /// Weight of a tile that can merge with a neighbour
        pub merges: f64 = 269.6, weight();
        /// Penalty weight for lines that are not monotonic
        pub order: f64 = 42.97, weight();
        /// Exponent of the ranks in the `order` term
        pub order_power: f64 = 2.863, range(0.0..=10.0);
        /// Penalty weight of each tile's rank to the power `sum_power`
        pub sum: f64 = 6.715, weight();
        /// Exponent of the ranks in the `sum` term
        pub sum_power: f64 = 3.245, range(0.0..=10.0);
    }
}

/// The value of a line before its terms, so that a terminal position, 0, is worst.
const LINE: f64 = 200_000.0;

pub struct Rows {
    board: Board,
    lines: Vec<Vec<usize>>,
    evaluator: LineEvaluator,
    /// The value of every line content, on boards of up to 4 x 4.
    table: Option<LineValues>,
    max: f32,
}

struct LineEvaluator {
    config: RowsConfig,
    /// By rank, the term of a tile in `order`.
    order: Vec<f64>,
    /// By rank, the term of a tile in `sum`.
    sum: Vec<f64>,
}

impl LineEvaluator {
    fn new(config: RowsConfig) -> Self {
        let powers = |power: f64| (0..32).map(|rank| f64::from(rank).powf(power)).collect();
        Self { order: powers(config.order_power), sum: powers(config.sum_power), config }
    }

    fn line(&self, board: &Board, ranks: impl Iterator<Item = u8> + Clone) -> f64 {
        let Self { config, order, sum } = self;
        let empty = ranks.clone().filter(|&rank| rank == 0).count() as f64;
        let tiles: f64 = ranks.clone().map(|rank| sum[usize::from(rank)]).sum();
        // A tile counts once, whether it can merge with one neighbour or with either.
        let (mut merges, mut last, mut last_counted) = (0, 0, false);
        for rank in ranks.clone().filter(|&rank| rank != 0) {
            let merge = last != 0 && board.merge(last, rank);
            merges += u32::from(merge) + u32::from(merge && !last_counted);
            (last, last_counted) = (rank, merge);
        }
        // The smaller one of the total descent and the total ascent is the disorder.
        let (mut falls, mut rises) = (0.0, 0.0);
        for (one, next) in ranks.clone().zip(ranks.skip(1)) {
            let step = order[usize::from(next)] - order[usize::from(one)];
            if step < 0.0 {
                falls -= step;
            } else {
                rises += step;
            }
        }
        LINE + config.empty * empty + config.merges * f64::from(merges)
            - config.order * f64::min(falls, rises)
            - config.sum * tiles
    }

    fn upper_bound(&self, board: &Board, cells: usize) -> f64 {
        let Self { config, order, sum } = self;
        let (order, sum) = (order[board.max_rank()], sum[board.max_rank()]);
        // Of the `cells - 1` steps between neighbours, the fewer of the ascending and the
        // descending ones are at most half.
        let disorder = ((cells - 1) / 2) as f64 * order;
        LINE + config.empty.max(config.merges).max(0.0) * cells as f64
            + (-config.order).max(0.0) * disorder
            + (-config.sum).max(0.0) * sum * cells as f64
    }

    /// Returns the value of every content of a line with this many cells.
    fn table(&self, board: &Board, cells: usize) -> Arc<[f32; ROWS]> {
        let value = |line: usize| {
            let ranks = (0..cells).map(|cell| (line >> (4 * cell)) as u8 & 15);
            self.line(board, ranks) as f32
        };
        let table: Arc<[f32]> = (0..ROWS).map(value).collect();
        table.try_into().expect("there are `ROWS` entries")
    }
}

impl Value for Rows {
    fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]) {
        for (value, &afterstate) in values.iter_mut().zip(afterstates) {
            *value = match &self.table {
                Some(table) if !self.board.has_high_rank(afterstate) => table.of(afterstate.lo),
                _ => self.evaluate_lines(afterstate),
            };
        }
    }

    fn tables(&self) -> Option<&LineValues> {
        self.table.as_ref()
    }

    fn scale(&self) -> ValueScale {
        ValueScale::Rating { min: 0.0, max: self.max }
    }
}

impl Rows {
    /// Returns the value of a board, line by line, without the tables.
    #[cold]
    pub(crate) fn evaluate_lines(&self, afterstate: Afterstate) -> f32 {
        let mut ranks = [0; MAX_CELLS];
        self.board.read(afterstate, &mut ranks);
        let mut sum = 0.0;
        for line in &self.lines {
            sum += self.evaluator.line(&self.board, line.iter().map(|&cell| ranks[cell]));
        }
        sum.max(0.0) as f32
    }
}

impl Plugin for Rows {
    const NAME: &'static str = "rows";
    const ABOUT: &'static str = "rates rows and columns by empty cells, merges and monotonicity";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = RowsConfig;
}

impl ValuePlugin for Rows {
    fn new(config: RowsConfig, context: &BuildContext<'_>) -> Result<Self, BuildError> {
        let board = Board::of(context, Self::NAME)?;
        let evaluator = LineEvaluator::new(config);
        let (rows, cols) = (board.rows(), board.cols());
        let table = (rows <= 4 && cols <= 4).then(|| {
            let across = evaluator.table(&board, cols);
            let down = if rows == cols { across.clone() } else { evaluator.table(&board, rows) };
            LineValues::new(rows, cols, across, down, 0.0)
        });
        let lines = board.lines();
        let max: f64 = lines.iter().map(|line| evaluator.upper_bound(&board, line.len())).sum();
        // Sums over the tables round differently.
        let max_by_table = table.as_ref().map(|table| {
            let (across, down) = table.tables();
            let sum = |lines: usize, cells: usize, absent: f32| {
                let bound = evaluator.upper_bound(&board, cells) as f32;
                let [a, b, c, d] =
                    std::array::from_fn(|line| if line < lines { bound } else { absent });
                (a + b) + (c + d)
            };
            table.total(sum(rows, cols, across[0]), sum(cols, rows, down[0]))
        });
        let max = max_by_table.unwrap_or(0.0).max(max as f32);
        Ok(Self { board, lines, evaluator, table, max })
    }
}
