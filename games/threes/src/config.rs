//! The parameters and their ranges.

use crate::bag::MAX_OF_A_KIND;
use crate::tiles::{MAX_RANK, THREE, value};
use runner_core::{BuildError, ParameterValue, parameters};
use runner_sliding::SIDES;
use serde::de::{self, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

parameters! {
    /// The parameters of Threes.
    pub struct Config {
        /// Number of rows
        pub rows: usize = 4, range(SIDES);
        /// Number of columns
        pub cols: usize = 4, range(SIDES);
        /// Number of 1s, of 2s and of 3s in a full bag
        pub bag: u32 = 4, range(1..=MAX_OF_A_KIND);
        /// Bonus tiles: true, announced as a bonus; "set", as up to three tiles of which one
        /// enters; false, none
        pub bonus: Bonus = Bonus::Announced, words(["true", "false", "\"set\""]);
        /// Odds of a bonus, where one is possible: 1 in this number
        pub bonus_odds: u32 = 21, range(1..=1_000_000);
        /// Largest tile of the game, two of which do not merge
        pub top: u64 = 6144, any::<u64>().form("6, 12, 24, ... 12288");
        /// Where the next tile enters at the far edge: in a line that moved, or on any empty cell
        pub entry: Entry = Entry::MovedLines, variants::<Entry>();
        /// Number of tiles at the start; None is nine sixteenths of the cells, rounded down
        pub start_tiles: Option<usize> = None, any::<usize>().form("1 to rows x cols");
    }
}

/// Whether there are bonus tiles, and how they are announced.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bonus {
    /// There are none.
    None,
    /// The announcement says that a bonus comes.
    Announced,
    /// The announcement shows up to three tiles, one of which comes.
    Set,
}

impl ParameterValue for Bonus {}

impl Serialize for Bonus {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::None => serializer.serialize_bool(false),
            Self::Announced => serializer.serialize_bool(true),
            Self::Set => serializer.serialize_str(SET),
        }
    }
}

impl<'de> Deserialize<'de> for Bonus {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct BonusVisitor;

        impl Visitor<'_> for BonusVisitor {
            type Value = Bonus;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("true, false or \"set\"")
            }

            fn visit_bool<E: de::Error>(self, is_announced: bool) -> Result<Bonus, E> {
                Ok(if is_announced { Bonus::Announced } else { Bonus::None })
            }

            fn visit_str<E: de::Error>(self, word: &str) -> Result<Bonus, E> {
                match word {
                    SET => Ok(Bonus::Set),
                    _ => Err(E::invalid_value(Unexpected::Str(word), &self)),
                }
            }
        }

        deserializer.deserialize_any(BonusVisitor)
    }
}

const SET: &str = "set";

/// Where the next tile may enter: at the edge opposite to the push,
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Entry {
    /// in any line that moved.
    MovedLines,
    /// on any empty cell.
    FarEdge,
}

impl ParameterValue for Entry {}

impl Config {
    pub fn check_start_tiles(&self) -> Result<(), BuildError> {
        let (tiles, cells) = (self.tiles_at_start(), self.rows * self.cols);
        if !(1..=cells).contains(&tiles) {
            let message = format!("{tiles} is not from 1 to {cells}, the number of cells");
            return Err(BuildError::of("start_tiles", message));
        }
        Ok(())
    }

    pub fn top_rank(&self) -> Result<u8, BuildError> {
        let tops = THREE + 1..=MAX_RANK;
        tops.clone().find(|&rank| value(rank) == self.top).ok_or_else(|| {
            let tiles: Vec<String> = tops.map(|rank| value(rank).to_string()).collect();
            let message = format!("{} is not one of the tiles {}", self.top, tiles.join(", "));
            BuildError::of("top", message)
        })
    }

    pub fn tiles_at_start(&self) -> usize {
        self.start_tiles.unwrap_or(self.rows * self.cols * 9 / 16)
    }
}
