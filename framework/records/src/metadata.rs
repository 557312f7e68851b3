//! The header of a file of games: what made them.

use runner_core::{Description, Seed};
use serde::{Deserialize, Serialize};

/// What a file of games begins with. The first byte is no text, and the line
/// break shows a file that was sent as text.
pub(crate) const MAGIC: [u8; 8] = *b"\x93RUNREC\n";

/// The version of the format, raised whenever an older reader would be wrong.
pub(crate) const FORMAT: u32 = 1;

/// What made the games of a file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Metadata {
    /// The game's resolved spec.
    pub game: String,
    /// The version of the rules.
    pub game_version: String,
    /// The agent's resolved spec.
    pub agent: String,
    /// The seed of the run.
    pub seed: Seed,
    /// The version of the program that wrote the file.
    pub program: String,
    /// The names of the actions in their order, which the codes refer to.
    pub actions: Vec<String>,
}

impl Metadata {
    /// Says what differs if the file's codes mean other actions than this game's.
    pub fn check_actions(&self, game: &Description) -> Result<(), String> {
        if self.actions == game.actions {
            return Ok(());
        }
        Err(format!(
            "the record's actions are {}, and the game's are {}: replay it with `{}`, version {}",
            self.actions.join(", "),
            game.actions.join(", "),
            self.game,
            self.game_version
        ))
    }
}
