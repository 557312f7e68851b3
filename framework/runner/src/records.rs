//! Games as files: written while an evaluation plays, read back and replayed
//! against the rules.
//!
//! A move and what chance made of it are one number, the outcome's place in
//! [`Game::outcomes`](runner_core::Game::outcomes) times the number of actions plus
//! the action, seven bits to a byte: two bytes at most where actions times
//! outcomes are no more than 16,384, as on every board up to 5 x 5.
//!
//! ```text
//! file    header, blocks, end
//! header  magic (8 bytes), format (u32), length (u32) and RON of the metadata,
//!         checksum of all before
//! block   length of the body (u32, not 0), body, checksum of both
//! body    game number (u64), start (u128), score (f64), moves (u64),
//!         finished (1 byte: 0 or 1), codes (LEB128)
//! end     0 (u32), number of blocks (u64), checksum of both
//! ```
//!
//! Numbers are little-endian, checksums CRC-32. A file without its end is that of
//! a run that did not finish: its whole blocks are readable.
//!
//! [`Encoder`] turns a transcript into a [`Block`], on any thread;
//! [`RecordWriter`] writes blocks; [`RecordReader`] reads games one after the
//! other; [`replay()`] holds a game against the rules. The byte layout of a block
//! is in `block` alone.

mod block;
#[cfg(test)]
mod counting;
mod encoder;
mod reader;
mod replay;
mod writer;

pub use block::{Block, GameRecord};
pub use encoder::{EncodeError, Encoder};
pub use reader::{Problem, ReadError, RecordReader};
pub use replay::{Ply, Replay, ReplayError, replay};
pub use writer::{RecordWriter, WriteError};

use runner_core::{Description, Seed};
use serde::{Deserialize, Serialize};

/// What a file of games begins with. The first byte is no text, and the line
/// break shows a file that was sent as text.
const MAGIC: [u8; 8] = *b"\x93RUNREC\n";

/// The version of the format, raised whenever an older reader would be wrong.
const FORMAT: u32 = 1;

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
