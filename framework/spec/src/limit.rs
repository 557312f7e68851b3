//! Time limits as parameters.

use crate::quantity;
use serde::{Deserialize, Serialize};
use std::str::FromStr;
use std::time::Duration;

/// The time limit of a move or an answer, from a millisecond to a day. It is written as it was
/// typed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TimeLimit {
    text: String,
    time: Duration,
}

impl TimeLimit {
    /// Returns the limit.
    pub fn get(&self) -> Duration {
        self.time
    }

    /// Returns a limit of whole seconds.
    ///
    /// # Panics
    ///
    /// If there are none, or more than a day has.
    pub fn seconds(seconds: u32) -> Self {
        format!("{seconds}s").parse().expect("the number of seconds is in range")
    }
}

impl FromStr for TimeLimit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        text.to_owned().try_into()
    }
}

impl TryFrom<String> for TimeLimit {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Ok(Self { time: quantity::time_limit(&text)?, text })
    }
}

impl From<TimeLimit> for String {
    fn from(limit: TimeLimit) -> String {
        limit.text
    }
}
