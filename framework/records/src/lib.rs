//! Recorded games: written during an evaluation, read back, and replayed against the rules.
//!
//! A move and its chance outcome are one code: the index of the outcome in
//! [`Game::outcomes`](runner_core::Game::outcomes) times the number of actions, plus the
//! action. Codes are written as LEB128, seven bits to a byte: at most two bytes if actions
//! times outcomes are at most 16,384, as on every board up to 5 x 5.
//!
//! ```text
//! file    header, blocks, end
//! header  magic (8 bytes), format (u32), length (u32) and RON of the metadata,
//!         checksum of the preceding bytes
//! block   length of the body (u32, not 0), body, checksum of both
//! body    game number (u64), start (u128), score (f64), moves (u64),
//!         finished (1 byte: 0 or 1), codes (LEB128)
//! end     0 (u32), number of blocks (u64), checksum of both
//! ```
//!
//! Numbers are little-endian, checksums CRC-32. A file without its end comes from a run that
//! did not finish: its complete blocks are readable, and [`RecordWriter::resume`] continues it.
//!
//! [`Encoder`] encodes a transcript as a [`Block`], on any thread; [`RecordWriter`] writes
//! blocks; [`RecordReader`] reads the games in file order; [`replay()`] checks a game against
//! the rules. Only the file `block` knows the byte layout of a block.

#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    warn(clippy::disallowed_methods, clippy::print_stderr, clippy::print_stdout)
)]

mod block;
mod encoder;
mod metadata;
mod reader;
mod replay;
#[cfg(test)]
mod tests;
mod writer;

pub use block::{Block, GameError, GameRecord};
pub use encoder::Encoder;
pub use metadata::{Metadata, Starts};
pub use reader::{ReadErrorKind, RecordError, RecordReader};
pub use replay::{Replay, ReplayedMove, replay};
pub use writer::{RecordEnd, RecordWriter, WriteError};
