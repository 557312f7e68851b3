//! Names as parts of file names, and as words of a command.

use std::borrow::Cow;

/// Returns a name with a hyphen for everything that is not allowed in a file name everywhere.
pub fn file_name(name: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() { c } else { '-' };
    let hyphens: String = name.chars().map(plain).collect();
    let words: Vec<_> = hyphens.split('-').filter(|word| !word.is_empty()).collect();
    words.join("-")
}

/// Quotes a word for a shell where it needs quotes.
pub fn quoted(word: &str) -> String {
    // No spec or path holds a NUL, the one character that cannot be quoted.
    shlex::try_quote(word).map_or_else(|_| word.to_owned(), Cow::into_owned)
}
