//! Why a program was given up.

use runner_protocol::{MAX_LINE, shortened};
use runner_spec::quantity::{grouped, time};
use std::fmt;
use std::io;
use std::time::Duration;

/// Why a program did not give a valid answer.
#[derive(Debug)]
pub enum Trouble {
    /// It could not be started.
    Start(io::Error),
    /// It closed its standard output, or ended: its exit status if it did.
    Ended(Option<String>),
    /// It did not answer within this time.
    Late(Duration),
    /// It wrote a line that is too long.
    LongLine,
    /// It wrote more than the one line of its answer, or before it was asked.
    Unasked(String),
    /// It gave an answer that the protocol does not allow.
    Answer {
        /// The beginning of the answer.
        given: String,
        /// Why it is not allowed.
        reason: String,
    },
    /// Its pipes failed.
    Pipe(io::Error),
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start(error) => write!(f, "cannot be started: {error}"),
            Self::Ended(Some(status)) => write!(f, "ended without an answer ({status})"),
            Self::Ended(None) => {
                f.write_str("closed its standard output without an answer and was killed")
            }
            Self::Late(limit) => write!(f, "did not answer within {} and was killed", time(*limit)),
            Self::LongLine => {
                let limit = grouped(MAX_LINE as u64);
                write!(f, "wrote a line of more than {limit} bytes and was killed")
            }
            Self::Unasked(text) => {
                write!(
                    f,
                    "wrote `{text}` beside its answer: one line for each question, and none for `end`"
                )
            }
            Self::Answer { given, reason } => write!(f, "answered `{given}`: {reason}"),
            Self::Pipe(error) => write!(f, "cannot be reached: {error}"),
        }
    }
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

/// Escapes control characters, which could steer the terminal.
fn printable(c: char) -> Vec<char> {
    match c.is_control() {
        true => c.escape_default().collect(),
        false => vec![c],
    }
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
        let long = excerpt(&[b'x'; 100_000]);
        assert_eq!(long, "x".repeat(80) + "...");
    }
}
