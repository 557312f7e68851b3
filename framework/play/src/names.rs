//! Names: as parts of file names, as words of a command, and their order.

use std::borrow::Cow;
use std::cmp::Ordering;

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

/// Returns the names, each once, in natural order: numbers in them compare as numbers, so that
/// `stage 2` comes before `stage 10`.
pub fn in_natural_order<'a>(names: impl Iterator<Item = &'a String>) -> Vec<&'a str> {
    let mut names: Vec<_> = names.map(String::as_str).collect();
    names.sort_by(|one, other| natural(one, other));
    names.dedup();
    names
}

fn natural(one: &str, other: &str) -> Ordering {
    // Names that differ in leading zeros only are different names.
    parts(one).cmp(parts(other)).then_with(|| one.cmp(other))
}

/// A number in a name, or the text between two numbers.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Part<'a> {
    /// The number of digits without leading zeros, and these digits: a number may have any length.
    Number(usize, &'a [u8]),
    Text(&'a [u8]),
}

fn parts(name: &str) -> impl Iterator<Item = Part<'_>> {
    let parts = name.as_bytes().chunk_by(|a, b| a.is_ascii_digit() == b.is_ascii_digit());
    parts.map(|part| {
        if !part[0].is_ascii_digit() {
            return Part::Text(part);
        }
        let zeros = part.iter().take_while(|&&digit| digit == b'0').count();
        Part::Number(part.len() - zeros, &part[zeros..])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_names_compare_as_numbers() {
        let expected = [
            "",
            "3",
            "entered",
            "entered stage 1",
            "entered stage 02",
            "entered stage 2",
            "entered stage 10",
            "entered stage 10 late",
            "entered stage 99999999999999999999",
            "entered stage 100000000000000000000",
            "loss",
            "é",
        ];
        let names = expected.map(String::from);
        // Every name twice, in another order.
        assert_eq!(in_natural_order(names.iter().rev().chain(&names)), expected);
    }
}
