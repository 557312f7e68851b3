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
    /// RON text of another form, which the parameter describes: it may be the name of a file.
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
    /// Returns true if this kind allows a text as a value, and a text of this kind cannot be the
    /// name of a file or of a program.
    pub fn allows_without_files(&self, text: &str) -> bool {
        match self {
            Self::Text => true,
            Self::Words(words) => contains_word(words, text),
            Self::Time => quantity::time_limit(text).is_ok(),
            Self::Size { words, .. } => contains_word(words, text) || quantity::bytes(text).is_ok(),
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
                if words.is_empty() {
                    return Ok(());
                }
                write!(f, ", or {}", alternatives(words))
            }
            Self::Text => f.write_str("a text in quotes"),
            Self::Game => f.write_str("a game"),
            Self::Value => f.write_str("a value"),
            Self::Player => f.write_str("an agent or a value"),
            Self::List(items) => match &**items {
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

/// Returns true if a text is one of these words, which are RON text.
pub fn contains_word(words: &[String], text: &str) -> bool {
    words.contains(&format!("\"{text}\""))
}

/// Lists words: `a, b or c`.
fn alternatives(words: &[String]) -> String {
    match words {
        [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        words => words.concat(),
    }
}

/// Returns a number of bytes in the largest unit that divides it.
pub fn size(bytes: u64) -> String {
    for (shift, unit) in [(30, "G"), (20, "M"), (10, "k")] {
        if bytes.trailing_zeros() >= shift {
            return format!("{}{unit}", bytes >> shift);
        }
    }
    bytes.to_string()
}

/// Returns the number that is displayed, in double precision. The `f32` 0.99 becomes 0.99 and not
/// 0.9900000095.
fn exact(number: impl fmt::Display) -> f64 {
    number.to_string().parse().unwrap_or(f64::NAN)
}

impl Range {
    /// Returns the range between these bounds.
    pub fn new<T: fmt::Display>(range: impl RangeBounds<T>) -> Self {
        let [low, high] = [range.start_bound(), range.end_bound()].map(|bound| bound.map(exact));
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

    /// Refuses a number out of the range.
    pub fn check(&self, number: impl fmt::Display) -> Result<(), String> {
        if (self.low, self.high).contains(&exact(&number)) {
            return Ok(());
        }
        // "3 is not from 1 to 2", but "3 is not above 4".
        let from = match (self.low, self.high) {
            (Bound::Included(_), Bound::Included(_) | Bound::Excluded(_)) => "from ",
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
        if self.unit.is_empty() {
            return Ok(());
        }
        write!(f, " {}", self.unit)
    }
}

/// Returns a bound as text, in scientific notation if it has many digits.
fn written(bound: f64) -> String {
    if bound.abs() >= 1e10 { format!("{bound:e}") } else { bound.to_string() }
}
