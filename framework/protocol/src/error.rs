//! Errors of a program.

use crate::{MAX_LINE, shortened};
use runner_spec::quantity::{grouped, time};
use runner_spec::steers_terminal;
use std::io;
use std::time::Duration;
use thiserror::Error;

/// Why a program gave no valid answer. A message follows the command of the program.
#[derive(Debug, Error)]
pub enum ProgramError {
    #[error("cannot be started: {0}")]
    Start(io::Error),
    #[error("ended without an answer ({status})")]
    Ended { status: String },
    #[error("closed its standard output without an answer and was killed")]
    Closed,
    #[error(
        "did not answer within {} and was killed; it must flush its output after each answer",
        time(*.limit)
    )]
    Late { limit: Duration },
    #[error("wrote a line of more than {} bytes and was killed", grouped(MAX_LINE as u64))]
    LongLine,
    /// It wrote more than the one line of its answer, or before it was asked.
    #[error("wrote `{0}` beside its answer: one line for each question, and none for `end`")]
    Unasked(String),
    /// It gave an answer that the protocol does not allow.
    #[error("answered `{excerpt}`: {reason}")]
    Answer { excerpt: String, reason: String },
    #[error("cannot be reached: {0}")]
    Pipe(io::Error),
}

/// Number of characters of an answer that a message contains.
pub const ANSWER_EXCERPT: usize = 80;

/// Returns the beginning of a program's output on one line, at most `limit` characters, for a
/// message.
pub fn excerpt(bytes: &[u8], limit: usize) -> String {
    // No more than the first characters and one after them.
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(4 * limit + 4)]);
    shortened(text.trim_end(), limit).chars().flat_map(printable).collect()
}

fn printable(c: char) -> Vec<char> {
    if steers_terminal(c) { c.escape_default().collect() } else { vec![c] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpts_are_short_lines_without_control_characters() {
        let excerpt = |bytes: &[u8]| excerpt(bytes, 80);
        assert_eq!(excerpt(b"{\"action\": \"up\"}\r\n"), "{\"action\": \"up\"}");
        assert_eq!(excerpt(b"a\x1b[2J\nb"), "a\\u{1b}[2J\\nb");
        assert_eq!(excerpt(b"\xff\xfe"), "\u{fffd}\u{fffd}");
        assert_eq!(excerpt("a\u{202e}b\u{9b}31m".as_bytes()), "a\\u{202e}b\\u{9b}31m");
        let long = excerpt(&[b'x'; 100_000]);
        assert_eq!(long, "x".repeat(80) + "...");
    }
}
