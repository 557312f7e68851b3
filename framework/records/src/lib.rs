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

#![forbid(unsafe_code)]

mod block;
#[cfg(test)]
mod counting;
mod encoder;
mod metadata;
mod reader;
mod replay;
mod writer;

pub use block::{Block, GameRecord};
pub use encoder::{EncodeError, Encoder};
pub use metadata::Metadata;
pub use reader::{Problem, ReadError, RecordReader};
pub use replay::{Ply, Replay, ReplayError, replay};
pub use writer::{RecordWriter, WriteError};
