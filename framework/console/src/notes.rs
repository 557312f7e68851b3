//! Notes on standard error, one line each, beside the result.

use crate::progress::suspended;
use std::fmt;
use std::io::{Write, stderr};

/// Prints a note above the progress line.
pub fn note(text: impl fmt::Display) {
    // A note that cannot be printed does not fail the command.
    suspended(|| drop(writeln!(stderr(), "{text}")));
}
