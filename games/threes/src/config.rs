//! The parameters, and what is allowed for them.

use crate::bag::MOST_OF_A_KIND;
use crate::tiles::{GREATEST, THREE, value};
use runner_core::{BuildError, Parameter};
use runner_sliding::check_sides;
use serde::{Deserialize, Serialize};

/// The parameters of Threes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Number of rows, from 2 to 5.
    pub rows: usize,
    /// Number of columns, from 2 to 5.
    pub cols: usize,
    /// How many 1s, 2s and 3s a full bag holds, of each.
    pub bag: u32,
    /// Whether there are bonus tiles.
    pub bonus: bool,
    /// Where a bonus is possible, the next tile is one once in so many times.
    pub bonus_odds: u32,
    /// The greatest tile: two of it do not merge.
    pub top: u64,
    /// Where the next tile may enter.
    pub entry: Entry,
    /// Number of tiles on the board at the start; nine of sixteen cells, rounded
    /// down, if it is not said.
    pub start_tiles: Option<usize>,
}

/// Where the next tile may enter: at the edge opposite to the push, and there
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

/// The greatest `bonus_odds`.
const MOST_ODDS: u32 = 1_000_000;

impl Config {
    /// Says which parameter is wrong and what is allowed, if one is.
    pub fn check(&self) -> Result<(), BuildError> {
        check_sides(self.rows, self.cols)?;
        let within = |name: &str, number: u32, most: u32| {
            let refused = || BuildError::of(name, format!("{number} is not from 1 to {most}"));
            if (1..=most).contains(&number) { Ok(()) } else { Err(refused()) }
        };
        within("bag", self.bag, MOST_OF_A_KIND)?;
        within("bonus_odds", self.bonus_odds, MOST_ODDS)?;
        self.top_rank()?;
        let (tiles, cells) = (self.tiles_at_start(), self.rows * self.cols);
        if !(1..=cells).contains(&tiles) {
            let message = format!("{tiles} is not from 1 to {cells}, the number of cells");
            return Err(BuildError::of("start_tiles", message));
        }
        Ok(())
    }

    /// The rank of the greatest tile.
    pub fn top_rank(&self) -> Result<u8, BuildError> {
        let tops = THREE + 1..=GREATEST;
        tops.clone().find(|&rank| value(rank) == self.top).ok_or_else(|| {
            let tiles: Vec<String> = tops.map(|rank| value(rank).to_string()).collect();
            let message = format!("{} is none of the tiles {}", self.top, tiles.join(", "));
            BuildError::of("top", message)
        })
    }

    /// How many tiles a game begins with.
    pub fn tiles_at_start(&self) -> usize {
        self.start_tiles.unwrap_or(self.rows * self.cols * 9 / 16)
    }
}

/// The parameters in words.
pub fn parameters() -> Vec<Parameter> {
    let new = Parameter::new;
    vec![
        new("rows", "2 to 5", "4", "number of rows"),
        new("cols", "2 to 5", "4", "number of columns"),
        new("bag", "1 to 15", "4", "how many 1s, 2s and 3s a full bag holds, of each"),
        new("bonus", "true or false", "true", "whether there are bonus tiles"),
        new(
            "bonus_odds",
            "1 to 1000000",
            "21",
            "once in so many times the next tile is a bonus, where one is possible",
        ),
        new("top", "6, 12, 24 and so on to 12288", "6144", "the greatest tile; two do not merge"),
        new(
            "entry",
            "moved_lines or far_edge",
            "moved_lines",
            "the next tile enters in a line that moved, or anywhere at the far edge",
        ),
        new(
            "start_tiles",
            "1 to rows x cols",
            "None",
            "tiles on the board at the start; None is nine of sixteen cells, rounded down",
        ),
    ]
}
