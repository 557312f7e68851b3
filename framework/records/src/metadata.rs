//! The metadata of a record file.

use runner_core::{Description, Seed};
use serde::{Deserialize, Serialize};

/// The first bytes of a record file. The first is no ASCII character, and the line break
/// reveals a file that was transferred as text.
pub(crate) const MAGIC: [u8; 8] = *b"\x93RUNREC\n";

/// Version of the format, raised when older readers would misread it.
pub(crate) const FORMAT: u32 = 1;

/// The run that produced the games of a file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Metadata {
    /// Spec of the game, defaults included.
    pub game: String,
    pub game_version: String,
    /// Spec of the agent, defaults included.
    pub agent: String,
    pub seed: Seed,
    /// Name and version of the program that wrote the file.
    pub program: String,
    /// Names of the actions, in the order that the codes refer to.
    pub actions: Vec<String>,
    #[serde(default, skip_serializing_if = "Starts::are_of_rules")]
    pub starts: Starts,
    /// The plugins and files that the games depend on, for a run that continues the file; empty if
    /// none can.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub definition: String,
}

/// The first positions of the games of a file.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub enum Starts {
    /// Starts of the rules, with their score.
    #[default]
    OfRules,
    /// Any positions, with the score that the rules give a start.
    Edited,
    /// Any positions, from which the score is counted.
    Given,
}

impl Starts {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    fn are_of_rules(&self) -> bool {
        *self == Self::OfRules
    }
}

impl Metadata {
    /// Checks that the codes of the file refer to the actions of this game.
    pub fn check_actions(&self, game: &Description) -> Result<(), String> {
        if self.actions == game.actions {
            return Ok(());
        }
        Err(format!(
            "the recorded actions are {}, those of the game are {}: replay it with `{}`, version {}",
            self.actions.join(", "),
            game.actions.join(", "),
            self.game,
            self.game_version
        ))
    }
}
