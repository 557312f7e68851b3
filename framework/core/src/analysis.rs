//! An agent's analysis of one position.

use crate::Action;
use serde::{Deserialize, Serialize};

/// An agent's analysis of one position, for people and programs to read.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Analysis {
    /// The action that the agent would take; `None` if it would stop.
    pub choice: Option<Action>,
    /// The action values, in the order of the game's list of actions. Empty for an agent
    /// that estimates none.
    pub action_values: Vec<(Action, f32)>,
    /// How the agent arrived at the choice and the values, such as the number of positions
    /// searched.
    pub facts: Facts,
}

impl Analysis {
    /// Returns how much less `taken` is worth than `best`; `None` if one of them has no value.
    pub fn loss(&self, best: Action, taken: Action) -> Option<f32> {
        let value_of = |action| {
            self.action_values.iter().find(|(known, _)| *known == action).map(|(_, value)| value)
        };
        Some(value_of(best)? - value_of(taken)?)
    }
}

/// Named facts, in the order in which they are shown.
pub type Facts = Vec<(String, Fact)>;

/// A fact of an [`Analysis`].
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Fact {
    /// A number of things.
    Count(u64),
    /// A measurement; its name says the unit.
    Number(f64),
    /// Anything else, in words.
    Text(String),
}

impl From<u64> for Fact {
    fn from(count: u64) -> Self {
        Self::Count(count)
    }
}

impl From<f64> for Fact {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<&str> for Fact {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}
