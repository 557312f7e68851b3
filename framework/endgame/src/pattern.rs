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
    /// Where the large tiles may lie.
    pub large: Large,
    /// The displayed value of the tile that is to be made.
    pub goal: u64,
    /// The greatest sum of the free cells of a start, as displayed.
    #[serde(default = "default_start_sum")]
    pub start_sum: u64,
}

fn default_start_sum() -> u64 {
    16
}

/// Where the large tiles may lie. They never merge, and play that moves one elsewhere has failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Large {
    /// In one of these arrangements. Each is a picture of the board, its rows divided by `/`: `#` is a
    /// large tile and `.` a free cell. The goal counts where any of the pictures has a `*`, which is a
    /// free cell, and anywhere if none has.
    Cells(Vec<String>),
    /// This number of large tiles, anywhere. The goal counts anywhere.
    Anywhere(usize),
}

/// The patterns that have a name, on boards of 4 x 4 cells.
const NAMED: &[(&str, &[&str])] = &[
    ("L3", &["###./###*/..*./...."]),
    ("442", &["####/##*./..../...."]),
    ("t", &["##*#/##*#/**../....", "##../##.#/...#/....", "##../##../...#/...#"]),
    ("4431", &["###./#*../..../...."]),
    ("444", &["####/.**./..../...."]),
    ("snake8", &["####/####/...*/...."]),
    ("snake10", &["###./###*/..../...."]),
    ("snake11", &["###./##*./..../...."]),
];

/// The numbers of free cells of the patterns `free8` to `free10`.
const FREE: std::ops::RangeInclusive<usize> = 8..=10;

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
        let large = match NAMED.iter().find(|(known, _)| *known == shape) {
            Some((_, pictures)) => Large::Cells(pictures.iter().map(|&p| p.to_owned()).collect()),
            None => match FREE.into_iter().find(|free| shape == format!("free{free}")) {
                Some(free) => Large::Anywhere(16 - free),
                None => {
                    let names = Self::names().collect::<Vec<_>>().join(", ");
                    return Err(PatternError::Unknown(shape.to_owned(), names));
                }
            },
        };
        Ok(Self { name: shape.to_owned(), large, goal, start_sum: default_start_sum() })
    }

    /// The names that [`named`](Self::named) knows, without their goals.
    pub fn names() -> impl Iterator<Item = String> {
        let named = NAMED.iter().map(|(name, _)| (*name).to_owned());
        named.chain(FREE.map(|free| format!("free{free}")))
    }

    /// Returns the board of a pattern that has a name, in a line.
    pub fn about(name: &str) -> String {
        match NAMED.iter().find(|(known, _)| *known == name) {
            Some((_, pictures)) => pictures.join(" or "),
            None => "large tiles anywhere".to_owned(),
        }
    }

    /// Returns the pattern as RON.
    pub fn text(&self) -> String {
        ron::to_string(self).expect("a pattern has a text")
    }

    /// Reads a text of RON; the error says where it is wrong.
    pub fn read(text: &str) -> Result<Self, String> {
        let pattern: Self = ron::from_str(text).map_err(|error| error.to_string())?;
        // Files are named after patterns.
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        match !pattern.name.is_empty() && pattern.name.chars().all(is_plain) {
            true => Ok(pattern),
            false => Err(format!(
                "the name `{}` is not made of letters, digits, `_` and `-`",
                pattern.name
            )),
        }
    }

    /// Returns the arrangements of the large tiles, and the cells in which the goal counts. Both are
    /// sets of cells, a bit for each.
    pub(crate) fn cells(&self, board: &Geometry) -> Result<(Vec<u32>, u32), PatternError> {
        let all = (1u32 << board.cells()) - 1;
        match &self.large {
            Large::Anywhere(count) => {
                let arrangements: Vec<_> =
                    (0..=all).filter(|cells| cells.count_ones() as usize == *count).collect();
                self.check(board, &arrangements)?;
                Ok((arrangements, all))
            }
            Large::Cells(pictures) => {
                let mut arrangements = Vec::new();
                let mut goals = 0;
                for picture in pictures {
                    let rows: Vec<&str> = picture.split('/').collect();
                    if rows.len() != board.rows || rows.iter().any(|row| row.len() != board.cols) {
                        return Err(self.wrong(format!(
                            "`{picture}` is not a picture of {} rows of {} cells",
                            board.rows, board.cols
                        )));
                    }
                    let mut large = 0;
                    for (cell, sign) in rows.concat().chars().enumerate() {
                        match sign {
                            '#' => large |= 1 << cell,
                            '*' => goals |= 1 << cell,
                            '.' => {}
                            _ => {
                                return Err(self.wrong(format!(
                                    "`{sign}` in `{picture}` is none of `#`, `*` and `.`"
                                )));
                            }
                        }
                    }
                    arrangements.push(large);
                }
                arrangements.sort_unstable();
                arrangements.dedup();
                self.check(board, &arrangements)?;
                Ok((arrangements, if goals == 0 { all } else { goals }))
            }
        }
    }

    fn check(&self, board: &Geometry, arrangements: &[u32]) -> Result<(), PatternError> {
        let Some(large) = arrangements.first().map(|cells| cells.count_ones()) else {
            return Err(self.wrong("it has no arrangement of large tiles".to_owned()));
        };
        if arrangements.iter().any(|cells| cells.count_ones() != large) {
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
