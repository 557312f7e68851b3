//! The messages of the line protocol between the runner and programs in any language: one JSON
//! object a line, in UTF-8.
//!
//! The agent `process` asks a program for actions, `runner play --stdio` lets a program drive a
//! game, and `runner conform` drives a program that implements one. A [`Program`] is started and
//! asked under time limits. The first two describe the game by a [`Hello`] and positions by a
//! [`PositionMessage`] with its [`LegalAction`]s. The guide's page on the protocol shows whole
//! sessions.

#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    warn(clippy::disallowed_methods, clippy::print_stderr, clippy::print_stdout)
)]

mod action;
mod driven;
#[cfg(unix)]
mod error;
mod message;
#[cfg(unix)]
mod program;

pub use action::{ActionError, read_action};
pub use driven::{DriveError, drive};
#[cfg(unix)]
pub use error::{ANSWER_EXCERPT, ProgramError, excerpt};
pub use message::{Hello, LegalAction, PositionMessage, legal_actions};
#[cfg(unix)]
pub use program::Program;

/// Returns at most this many characters of a text, for a message that quotes it.
pub fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

/// The version of the protocol. It is raised when a program that follows the previous version
/// would fail.
pub const VERSION: u32 = 1;

/// The maximum length of a line that a program may send, in bytes.
pub const MAX_LINE: usize = 64 * 1024;
