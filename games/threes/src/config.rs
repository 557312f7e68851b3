//! The parameters and their ranges.

use crate::bag::MAX_OF_A_KIND;
use crate::tiles::{MAX_RANK, THREE, value};
use runner_core::{BuildError, Parameter};
use runner_sliding::check_sides;
use serde::{Deserialize, Serialize};

/// The parameters of Threes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Number of rows, 2 to 5.
    pub rows: usize,
    /// Number of columns, 2 to 5.
    pub cols: usize,
    /// Number of 1s, of 2s and of 3s in a full bag, 1 to 15.
    pub bag: u32,
    /// Whether there are bonus tiles.
    pub bonus: bool,
    /// A bonus, where possible, has the probability of 1 in this number.
    pub bonus_odds: u32,
    /// The greatest tile, two of which do not merge.
    pub top: u64,
    /// The lines in which the next tile may enter.
    pub entry: Entry,
    /// Number of tiles on the board at the start; nine sixteenths of the cells, rounded down,
    /// if it is not given.
    pub start_tiles: Option<usize>,
}

/// Where the next tile may enter: at the edge opposite to the push,
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Entry {
    /// in any line that moved.
    MovedLines,
    /// on any empty cell.
    FarEdge,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            rows: 4,
            cols: 4,
            bag: 4,
            bonus: true,
            bonus_odds: 21,
            top: 6144,
            entry: Entry::MovedLines,
            start_tiles: None,
        }
    }
}

/// The greatest value of `bonus_odds`.
const MAX_ODDS: u32 = 1_000_000;

impl Config {
    /// Returns an error for the first parameter that is out of range.
    pub fn check(&self) -> Result<(), BuildError> {
        check_sides(self.rows, self.cols)?;
        let within = |name: &str, number: u32, most: u32| {
            let refused = || BuildError::of(name, format!("{number} is not from 1 to {most}"));
            if (1..=most).contains(&number) { Ok(()) } else { Err(refused()) }
        };
        within("bag", self.bag, MAX_OF_A_KIND)?;
        within("bonus_odds", self.bonus_odds, MAX_ODDS)?;
        self.top_rank()?;
        let (tiles, cells) = (self.tiles_at_start(), self.rows * self.cols);
        if !(1..=cells).contains(&tiles) {
            let message = format!("{tiles} is not from 1 to {cells}, the number of cells");
            return Err(BuildError::of("start_tiles", message));
        }
        Ok(())
    }

    /// Returns the rank of the greatest tile.
    pub fn top_rank(&self) -> Result<u8, BuildError> {
        let tops = THREE + 1..=MAX_RANK;
        tops.clone().find(|&rank| value(rank) == self.top).ok_or_else(|| {
            let tiles: Vec<String> = tops.map(|rank| value(rank).to_string()).collect();
            let message = format!("{} is not one of the tiles {}", self.top, tiles.join(", "));
            BuildError::of("top", message)
        })
    }

    /// Returns the number of tiles at the start.
    pub fn tiles_at_start(&self) -> usize {
        self.start_tiles.unwrap_or(self.rows * self.cols * 9 / 16)
    }
}

/// Returns the parameters with their help.
pub fn parameters() -> Vec<Parameter> {
    let new = Parameter::new;
    vec![
        new("rows", "2 to 5", "4", "Number of rows"),
        new("cols", "2 to 5", "4", "Number of columns"),
        new("bag", "1 to 15", "4", "Number of 1s, of 2s and of 3s in a full bag"),
        new("bonus", "true or false", "true", "Announce bonus tiles"),
        new(
            "bonus_odds",
            "1 to 1000000",
            "21",
            "Odds of a bonus, where one is possible: 1 in this number",
        ),
        new(
            "top",
            "6, 12, 24, ... 12288",
            "6144",
            "Largest tile of the game, two of which do not merge",
        ),
        new(
            "entry",
            "moved_lines or far_edge",
            "moved_lines",
            "Where the next tile enters at the far edge: in a line that moved, or on any empty cell",
        ),
        new(
            "start_tiles",
            "1 to rows x cols",
            "None",
            "Number of tiles at the start; None is nine sixteenths of the cells, rounded down",
        ),
    ]
}
