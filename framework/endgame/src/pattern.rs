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
    /// The arrangements of the large tiles: they lie in one of these, never merge, and play that moves one
    /// elsewhere has failed. Each is a picture of the board, its rows divided by `/`: `#` is a large
    /// tile, `@` the smallest one, and `.` a free cell. The goal counts where the picture has a `*`,
    /// which is a free cell, and anywhere if no picture has one.
    pub large: Vec<String>,
    /// The displayed value of the tile that is to be made.
    pub goal: u64,
    /// The greatest sum of the free cells of a start, as displayed.
    #[serde(default = "default_start_sum")]
    pub start_sum: u64,
}

fn default_start_sum() -> u64 {
    16
}

/// An arrangement of large tiles: sets of cells, a bit for each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Cells {
    pub large: u32,
    /// The cell of the smallest large tile, if only one is allowed.
    pub smallest: u32,
    /// The cells in which the goal counts.
    pub goal: u32,
}

/// The patterns that have a name, on boards of 4 x 4 cells.
const NAMED: &[(&str, &[&str])] = &[
    ("L3", &["###./###*/..*./...."]),
    ("442", &["####/##*./..../...."]),
    ("t", &["##*#/##*#/**../....", "##*./##*#/**.#/....", "##*./##*./**.#/...#"]),
    ("4431", &["###./#*../..../...."]),
    ("444", &["####/.**./..../...."]),
    ("snake8", &["####/####/...*/...."]),
    ("snake10", &["###./###*/..../...."]),
    ("snake11", &["###./##*./..../...."]),
    ("chain8", &["####/###@/...*/...."]),
    ("chain9", CHAIN_9),
    ("chain10", CHAIN_10),
    ("chain11", CHAIN_11),
];

/// A full row of large tiles, and others in the next row, where they slide. The smallest is the last one,
/// and the goal is made beside it.
const CHAIN_9: &[&str] =
    &["####/##@*/..*./....", "####/##.@/...*/....", "####/#.#@/...*/....", "####/.##@/...*/...."];
const CHAIN_10: &[&str] = &[
    "####/#@*./.*../....",
    "####/#.@*/..*./....",
    "####/#..@/...*/....",
    "####/.#@*/..*./....",
    "####/.#.@/...*/....",
    "####/..#@/...*/....",
];
const CHAIN_11: &[&str] =
    &["####/@*../*.../....", "####/*@*./.*../....", "####/.*@*/..*./....", "####/..*@/...*/...."];

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
        let Some(pictures) = Self::pictures(shape) else {
            let names = Self::names().collect::<Vec<_>>().join(", ");
            return Err(PatternError::Unknown(shape.to_owned(), names));
        };
        let large = pictures.iter().map(|&picture| picture.to_owned()).collect();
        let (name, start_sum) = (shape.to_owned(), default_start_sum());
        Ok(Self { name, large, goal, start_sum })
    }

    /// The names that [`named`](Self::named) knows, without their goals.
    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMED.iter().map(|(name, _)| *name)
    }

    /// Returns the arrangements of the pattern with a name.
    pub fn pictures(name: &str) -> Option<&'static [&'static str]> {
        NAMED.iter().find(|(known, _)| *known == name).map(|(_, pictures)| *pictures)
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

    /// Returns the arrangements of the large tiles.
    pub(crate) fn cells(&self, board: &Geometry) -> Result<Vec<Cells>, PatternError> {
        let all = (1u32 << board.cells()) - 1;
        let mut arrangements = Vec::new();
        for picture in &self.large {
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
                    '@' => {
                        cells.large |= 1 << cell;
                        cells.smallest |= 1 << cell;
                    }
                    '*' => cells.goal |= 1 << cell,
                    '.' => {}
                    _ => {
                        let why =
                            format!("`{sign}` in `{picture}` is none of `#`, `@`, `*` and `.`");
                        return Err(self.wrong(why));
                    }
                }
            }
            if cells.smallest.count_ones() > 1 {
                return Err(self.wrong(format!("`{picture}` has more than one `@`")));
            }
            arrangements.push(cells);
        }
        if arrangements.iter().all(|cells| cells.goal == 0) {
            arrangements.iter_mut().for_each(|cells| cells.goal = all);
        }
        arrangements.sort_unstable();
        arrangements.dedup();
        if arrangements.windows(2).any(|pair| pair[0].large == pair[1].large) {
            return Err(self.wrong("two of its pictures have the same large tiles".to_owned()));
        }
        self.check(board, &arrangements)?;
        Ok(arrangements)
    }

    fn check(&self, board: &Geometry, arrangements: &[Cells]) -> Result<(), PatternError> {
        let Some(large) = arrangements.first().map(|cells| cells.large.count_ones()) else {
            return Err(self.wrong("it has no arrangement of large tiles".to_owned()));
        };
        if arrangements.iter().any(|cells| cells.large.count_ones() != large) {
            return Err(self.wrong("its pictures have different numbers of large tiles".to_owned()));
        }
        match board.cells() - large as usize {
            0 => Err(self.wrong("it has no free cell".to_owned())),
            1..=MAX_FREE => Ok(()),
            free => Err(self.wrong(format!("it has {free} free cells, more than {MAX_FREE}"))),
        }
    }

    pub(crate) fn wrong(&self, why: String) -> PatternError {
        PatternError::Wrong { pattern: self.to_string(), why }
    }
}
