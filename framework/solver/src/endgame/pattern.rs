//! Sub-games as data: which cells hold large tiles, and which tile is to be made where.

use runner_core::geometry::Geometry;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The greatest number of free cells of a pattern.
pub const MAX_FREE: usize = 12;

/// A sub-game: the large tiles of a board keep their cells, and the free cells are to make one more
/// large tile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pattern {
    /// The name, as in `L3-512`.
    pub name: String,
    /// A picture of the board, its rows divided by `/`: `#` is a large tile and `.` a free cell.
    /// The large tiles never merge, and play that moves one has failed. The goal counts where the
    /// picture has a `*`, which is a free cell, and anywhere if it has none.
    pub large: String,
    /// The displayed value of the tile that is to be made.
    pub goal: u64,
    /// The greatest sum of the free cells of a start, as displayed.
    #[serde(default = "default_start_sum")]
    pub start_sum: u64,
}

fn default_start_sum() -> u64 {
    16
}

/// Sets of cells, a bit for each.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cells {
    pub large: u32,
    /// The cells in which the goal counts.
    pub goal: u32,
}

/// The patterns that have a name, on boards of 4 x 4 cells.
pub const NAMED: [(&str, &str); 7] = [
    ("L3", "###./###*/..*./...."),
    ("442", "####/##*./..../...."),
    ("4431", "###./#*../..../...."),
    ("444", "####/.**./..../...."),
    ("snake8", "####/####/...*/...."),
    ("snake10", "###./###*/..../...."),
    ("snake11", "###./##*./..../...."),
];

/// Why a pattern cannot be solved.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    #[error("there is no pattern `{0}`; there are: {1}")]
    Unknown(String, String),
    #[error("`{0}` names no goal; a pattern and its goal are written as in `L3-512`")]
    NoGoal(String),
    #[error("pattern `{pattern}`: {why}")]
    Wrong { pattern: String, why: String },
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.name, self.goal)
    }
}

impl Pattern {
    /// Returns the pattern with a name such as `L3-512`.
    pub fn named(name: &str) -> Result<Self, PatternError> {
        let (shape, goal) =
            name.rsplit_once('-').ok_or_else(|| PatternError::NoGoal(name.to_owned()))?;
        let goal = goal.parse().map_err(|_| PatternError::NoGoal(name.to_owned()))?;
        let Some((_, large)) = NAMED.iter().find(|(known, _)| *known == shape) else {
            let names = NAMED.map(|(name, _)| name).join(", ");
            return Err(PatternError::Unknown(shape.to_owned(), names));
        };
        let (name, start_sum) = (shape.to_owned(), default_start_sum());
        Ok(Self { name, large: (*large).to_owned(), goal, start_sum })
    }

    pub fn text(&self) -> String {
        ron::to_string(self).expect("a pattern has a text")
    }

    /// Reads a text of RON; the error says where it is wrong.
    pub fn read(text: &str) -> Result<Self, String> {
        let pattern: Self = ron::from_str(text).map_err(|error| error.to_string())?;
        // Files are named after patterns.
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if !pattern.name.is_empty() && pattern.name.chars().all(is_plain) {
            Ok(pattern)
        } else {
            Err(format!("the name `{}` is not made of letters, digits, `_` and `-`", pattern.name))
        }
    }

    pub(crate) fn cells(&self, board: &Geometry) -> Result<Cells, PatternError> {
        let picture = &self.large;
        let rows: Vec<&str> = picture.split('/').collect();
        if rows.len() != board.rows || rows.iter().any(|row| row.len() != board.cols) {
            return Err(self.wrong(format!(
                "`{picture}` is not a picture of {} rows of {} cells",
                board.rows, board.cols
            )));
        }
        let mut cells = Cells::default();
        for (cell, sign) in rows.concat().chars().enumerate() {
            match sign {
                '#' => cells.large |= 1 << cell,
                '*' => cells.goal |= 1 << cell,
                '.' => {}
                _ => {
                    let why = format!("`{sign}` in `{picture}` is none of `#`, `*` and `.`");
                    return Err(self.wrong(why));
                }
            }
        }
        if cells.goal == 0 {
            cells.goal = (1 << board.cells()) - 1;
        }
        match board.cells() - cells.large.count_ones() as usize {
            0 => Err(self.wrong("it has no free cell".to_owned())),
            1..=MAX_FREE => Ok(cells),
            free => Err(self.wrong(format!("it has {free} free cells, more than {MAX_FREE}"))),
        }
    }

    pub(crate) fn wrong(&self, why: String) -> PatternError {
        PatternError::Wrong { pattern: self.to_string(), why }
    }
}
