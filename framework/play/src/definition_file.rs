//! The file that defines what a folder holds. Its last line is a checksum of the lines before it.

use crate::failure::Failure;
use runner_files::replace;
use runner_files::sealed::{self, Broken};
use std::fmt;
use std::io::Write;
use std::path::Path;

/// How a definition differs from the one that a folder holds.
pub struct Difference {
    /// What differs.
    what: String,
    /// What makes both equal again, if that is not the definition.
    remedy: Option<&'static str>,
}

impl Difference {
    /// Returns the difference with what makes both definitions equal again.
    pub fn with_remedy(what: String, remedy: &'static str) -> Self {
        Self { what, remedy: Some(remedy) }
    }

    /// Returns true if there is a remedy, because a model was replaced.
    pub fn has_remedy(&self) -> bool {
        self.remedy.is_some()
    }

    /// Describes the difference, and its remedy with `other` as an alternative.
    pub fn or(&self, other: &str) -> String {
        match self.remedy {
            Some(remedy) => format!("{}; {remedy}, or {other}", self.what),
            None => format!("{}; {other}", self.what),
        }
    }
}

impl From<String> for Difference {
    fn from(what: String) -> Self {
        Self { what, remedy: None }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        self.remedy.map_or(Ok(()), |remedy| write!(f, "; {remedy}"))
    }
}

/// Writes a definition with its checksum.
pub fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let text = sealed::seal(text.trim_end());
    Ok(replace(path, |file| file.write_all(text.as_bytes()))?)
}

/// Refuses a definition that was edited: the results in its folder are those of the one before. A file
/// without a checksum is accepted only if `is_earlier` finds that an earlier version wrote it. The
/// message ends with how to change the definition.
pub fn check(
    path: &Path,
    how_to_change: &str,
    is_earlier: impl FnOnce(&str) -> bool,
) -> Result<(), Failure> {
    let text = runner_files::read_text(path)?;
    // A copy of Windows may have other line ends, and an editor may add one at the end.
    let text = format!("{}\n", text.replace("\r\n", "\n").trim_end());
    let why = match sealed::has_seal(&text) {
        true if sealed::open(text.as_bytes()).is_ok() => return Ok(()),
        true => Broken::Changed.to_string(),
        false if is_earlier(&text) => return Ok(()),
        false => "its last line, a checksum, is missing: it was edited, or is of an earlier \
                  version"
            .into(),
    };
    Err(Failure::usage(format!("{}: {why}; undo the edit; {how_to_change}", path.display())))
}
