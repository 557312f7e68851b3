//! Text wrapped at 80 columns.

use runner_spec::printable;
use std::fmt;
use textwrap::core::display_width;
use textwrap::{Options, WordSeparator, WordSplitter, WrapAlgorithm};

/// The width of the narrowest common terminal.
pub const COLUMNS: usize = 80;

/// Cuts a text to a width in columns, its last one an ellipsis.
pub fn shortened(text: &str, width: usize) -> String {
    if display_width(text) <= width {
        return text.to_owned();
    }
    let mut short = String::new();
    for c in text.chars() {
        short.push(c);
        if display_width(&short) >= width {
            short.pop();
            break;
        }
    }
    short + "…"
}

/// Writes text in lines of at most [`COLUMNS`] columns. Lines after the first are indented
/// by two more columns. A longer word, such as a path, stays whole, so that it can be copied.
/// Control characters are escaped.
pub fn wrap(f: &mut impl fmt::Write, indent: &str, text: &str) -> fmt::Result {
    let subsequent = format!("{indent}  ");
    let options = options(COLUMNS).initial_indent(indent).subsequent_indent(&subsequent);
    lines(text, options).iter().try_for_each(|line| writeln!(f, "{line}"))
}

/// Returns text in lines of at most this many columns. Control characters are escaped.
pub fn wrapped(text: &str, columns: usize) -> Vec<String> {
    lines(text, options(columns).break_words(true))
}

/// Returns the options by which all text is wrapped.
pub(crate) fn options<'a>(width: usize) -> Options<'a> {
    Options::new(width)
        .word_separator(WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation)
        .wrap_algorithm(WrapAlgorithm::FirstFit)
        .break_words(false)
}

pub(crate) fn lines(text: &str, options: Options<'_>) -> Vec<String> {
    let printable = printable(text);
    let words: Vec<_> = printable.split_whitespace().collect();
    textwrap::wrap(&words.join(" "), options).into_iter().map(Into::into).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_longer_than_a_line_is_not_broken() {
        let (path, mut text) = ("/folder".repeat(12), String::new());
        wrap(&mut text, "", &format!("from {path} (2)")).unwrap();
        assert_eq!(text, format!("from\n  {path}\n  (2)\n"));
        assert!(wrapped(&path, 20).iter().all(|line| line.len() <= 20));
    }

    #[test]
    fn shortened_text_fits_its_width() {
        assert_eq!(shortened("abcdef", 6), "abcdef");
        assert_eq!(shortened("abcdefg", 6), "abcde…");
        for width in 2..12 {
            assert!(display_width(&shortened("名前の長いエージェント", width)) <= width);
        }
    }
}
