//! Remarks on standard error: one line each, beside the result.

use std::fmt;
use std::io::{Write, stderr};

/// Tells the user something that is not the result.
pub fn note(text: impl fmt::Display) {
    // Without a standard error there is nobody to tell.
    let _ = writeln!(stderr(), "{text}");
}
