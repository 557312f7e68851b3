//! A game's description of itself.

use crate::geometry::Geometry;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A game's description of itself: everything that the framework knows about it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Description {
    /// The names of the actions, in their fixed order; 1 to 64.
    pub actions: Vec<String>,
    /// The maximum number of outcomes of an afterstate.
    pub max_outcomes: usize,
    /// The values of the tiles that statistics count, ascending. Empty for a game without
    /// tiles.
    #[serde(default)]
    pub tiles: Vec<u64>,
    /// The tile that counts as a win.
    #[serde(default)]
    pub goal: Option<u64>,
    /// Shape and symmetries of the board, for a game that is played on one.
    #[serde(default)]
    pub geometry: Option<Geometry>,
}

impl Description {
    /// Returns the name of an action, for messages.
    pub fn action_name(&self, action: crate::Action) -> String {
        match self.actions.get(action.index()) {
            Some(name) => name.clone(),
            None => format!("action {}", action.0),
        }
    }
}

/// The reason why the text of a position was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message} (at character {})", at + 1)]
pub struct TextError {
    /// The byte in the text at which the error is.
    pub at: usize,
    /// The error and the expected text.
    pub message: String,
}

impl TextError {
    /// Creates an error at byte `at`.
    pub fn new(at: usize, message: impl fmt::Display) -> Self {
        Self { at, message: message.to_string() }
    }
}
