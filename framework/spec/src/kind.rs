//! The kinds of parameters: the values that each one allows.

use crate::quantity;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::{Bound, RangeBounds};

/// The values that a parameter allows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Kind {
    /// `true` or `false`.
    Flag,
    /// A whole number.
    Whole(Range),
    /// A number.
    Number(Range),
    /// One of these values, as RON text.
    Words(Vec<String>),
    /// A time limit in quotes, from a millisecond to a day.
    Time,
    /// A size in quotes, of at least a number of bytes.
    Size {
        /// Minimum in bytes.
        min: u64,
        /// Values that are allowed instead of a size, as RON text.
        words: Vec<String>,
    },
    /// A text in quotes that names no file.
    Text,
    /// The name of a file in quotes.
    File,
    /// A program and its arguments.
    Command,
    /// The spec of a game.
    Game,
    /// The spec of a value.
    Value,
    /// The spec of an agent, or of a value that is played greedily.
    Player,
    /// A list of values of one kind.
    List(Box<Kind>),
    /// A number, or a schedule of numbers over a training.
    Schedule(Range),
    /// RON text of another form, which the parameter describes.
    Other,
}

/// A range of numbers, and their unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Range {
    low: Bound<f64>,
    high: Bound<f64>,
    unit: String,
}

impl Kind {
    /// Returns true if a value of this kind can hold a text, and the text then is no name of a
    /// file or of a program.
    pub fn allows_without_files(&self, text: &str) -> bool {
        let is_word = |words: &[String]| words.contains(&format!("\"{text}\""));
        match self {
            Self::Text => true,
            Self::Words(words) => is_word(words),
            Self::Time => quantity::time_limit(text).is_ok(),
            Self::Size { words, .. } => is_word(words) || quantity::bytes(text).is_ok(),
            Self::List(items) => items.allows_without_files(text),
            _ => false,
        }
    }
}

/// Writes the allowed values, for help and messages.
impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag => f.write_str("true or false"),
            Self::Whole(range) if range.is_unbounded() => f.write_str("a whole number"),
            Self::Whole(range) | Self::Number(range) => range.fmt(f),
            Self::Words(words) => f.write_str(&alternatives(words)),
            Self::Time => f.write_str("\"1ms\" to \"1d\""),
            Self::Size { min, words } => {
                match min {
                    0 | 1 => f.write_str("a size, as in \"64M\"")?,
                    _ => write!(f, "\"{}\" and more", size(*min))?,
                }
                match words.is_empty() {
                    true => Ok(()),
                    false => write!(f, ", or {}", alternatives(words)),
                }
            }
            Self::Text => f.write_str("a text in quotes"),
            Self::File => f.write_str("a file in quotes"),
            Self::Command => f.write_str("a list of texts, as in `[\"python3\", \"my_agent.py\"]`"),
            Self::Game => f.write_str("a game"),
            Self::Value => f.write_str("a value"),
            Self::Player => f.write_str("an agent or a value"),
            Self::List(items) => match &**items {
                Self::Value => {
                    f.write_str("a list of values, as in `[tc-ntuple(model: \"a.model\"), rows]`")
                }
                Self::Number(range) | Self::Whole(range) if !range.is_unbounded() => {
                    write!(f, "a list of numbers, each {range}")
                }
                Self::Number(_) | Self::Whole(_) => f.write_str("a list of numbers"),
                other => write!(f, "a list, each item {other}"),
            },
            Self::Schedule(range) => write!(
                f,
                "{range}; or a schedule: (from: 1.0, to: 0.1) falls exponentially, \
                 [(0.0, 1.0), (0.5, 0.1)] gives each value from a share of the training on"
            ),
            Self::Other => f.write_str("RON text"),
        }
    }
}

fn alternatives(words: &[String]) -> String {
    match words {
        [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        words => words.concat(),
    }
}

/// Returns a number of bytes in the largest unit that divides it.
pub fn size(bytes: u64) -> String {
    let units = [(30, "G"), (20, "M"), (10, "k")];
    let unit = units.iter().find(|(shift, _)| bytes.trailing_zeros() >= *shift);
    unit.map_or(bytes.to_string(), |(shift, unit)| format!("{}{unit}", bytes >> shift))
}

/// A type of numbers that have ranges.
pub trait Bounded: Copy + fmt::Display {
    /// True for integers.
    const IS_WHOLE: bool;

    /// Returns the number, rounded to 53 bits.
    fn to_f64(self) -> f64;

    /// Rounds a bound to the precision of this type.
    fn rounded(bound: f64) -> f64 {
        bound
    }
}

macro_rules! bounded {
    ($($is_whole:literal: $($type:ident)*;)*) => {$($(
        impl Bounded for $type {
            const IS_WHOLE: bool = $is_whole;

            fn to_f64(self) -> f64 {
                self as f64
            }
        }
    )*)*};
}

bounded! {
    true: u8 u16 u32 u64 usize i8 i16 i32 i64 isize;
    false: f64;
}

impl Bounded for f32 {
    const IS_WHOLE: bool = false;

    fn to_f64(self) -> f64 {
        self.into()
    }

    fn rounded(bound: f64) -> f64 {
        f64::from(bound as f32)
    }
}

impl Range {
    /// Returns the range between these bounds.
    pub fn new<T: Bounded>(range: impl RangeBounds<T>) -> Self {
        let [low, high] = [range.start_bound(), range.end_bound()].map(|b| b.map(|n| n.to_f64()));
        Self { low, high, unit: String::new() }
    }

    /// Returns the range with another upper bound.
    pub fn with_high(self, high: Bound<f64>) -> Self {
        Self { high, ..self }
    }

    /// Returns the range with a unit: `plies`.
    pub fn with_unit(self, unit: &str) -> Self {
        Self { unit: unit.to_owned(), ..self }
    }

    /// Returns true if the range contains a number.
    pub fn contains<T: Bounded>(&self, number: T) -> bool {
        let bounds = [self.low, self.high].map(|bound| bound.map(T::rounded));
        (bounds[0], bounds[1]).contains(&number.to_f64())
    }

    /// Refuses a number out of the range.
    pub fn check<T: Bounded>(&self, number: T) -> Result<(), String> {
        if self.contains(number) {
            return Ok(());
        }
        let from = match self.low {
            Bound::Included(_) if !matches!(self.high, Bound::Unbounded) => "from ",
            _ => "",
        };
        Err(format!("{number} is not {from}{self}"))
    }

    fn is_unbounded(&self) -> bool {
        matches!((self.low, self.high), (Bound::Unbounded, Bound::Unbounded))
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use Bound::{Excluded, Included, Unbounded};
        let [low, high] = [self.low, self.high].map(|bound| bound.map(written));
        match (low, high) {
            (Unbounded, Unbounded) => f.write_str("a number"),
            (Included(low), Unbounded) => write!(f, "{low} and more"),
            (Excluded(low), Unbounded) => write!(f, "above {low}"),
            (Included(low), Included(high)) => write!(f, "{low} to {high}"),
            (Included(low), Excluded(high)) => {
                write!(f, "{low} up to, but not including, {high}")
            }
            (Excluded(low), Included(high)) => write!(f, "above {low}, up to {high}"),
            (Excluded(low), Excluded(high)) => write!(f, "above {low}, below {high}"),
            (Unbounded, Included(high)) => write!(f, "up to {high}"),
            (Unbounded, Excluded(high)) => write!(f, "below {high}"),
        }?;
        match self.unit.is_empty() {
            true => Ok(()),
            false => write!(f, " {}", self.unit),
        }
    }
}

fn written(bound: f64) -> String {
    match bound.abs() >= 1e10 {
        true => format!("{bound:e}"),
        false => bound.to_string(),
    }
}
