//! What a game says about itself.

use crate::board::Geometry;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A game's description of itself: all that the framework knows about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Description {
    /// The names of the actions, in their fixed order.
    pub actions: Vec<String>,
    /// No afterstate has more outcomes than this.
    pub max_outcomes: usize,
    /// The values of the tiles that statistics count, ascending. Empty for a
    /// game that has nothing like tiles.
    #[serde(default)]
    pub tiles: Vec<u64>,
    /// The tile with which the game counts as won.
    #[serde(default)]
    pub goal: Option<u64>,
    /// Where the game is played on a board: its shape and symmetries.
    #[serde(default)]
    pub geometry: Option<Geometry>,
}

impl Description {
    /// The name of an action, for messages.
    pub fn action_name(&self, action: crate::Action) -> String {
        match self.actions.get(action.index()) {
            Some(name) => name.clone(),
            None => format!("action {}", action.0),
        }
    }
}

/// Why the text of a position was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message} (at character {})", at + 1)]
pub struct TextError {
    /// The byte in the text at which it went wrong.
    pub at: usize,
    /// What is wrong there, and what would be right.
    pub message: String,
}

impl TextError {
    /// An error at byte `at`.
    pub fn new(at: usize, message: impl fmt::Display) -> Self {
        Self { at, message: message.to_string() }
    }
}
