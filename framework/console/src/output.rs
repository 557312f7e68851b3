//! Printed results: JSON documents, tables, and text wrapped at 80 columns.

use runner_spec::printable;
use serde::Serialize;
use std::fmt;
use std::io::{self, Write as _};
use textwrap::core::display_width;
use textwrap::{Options, WordSeparator, WordSplitter, WrapAlgorithm};

/// The width of the narrowest common terminal.
pub const COLUMNS: usize = 80;

/// Blanks between the columns of a table.
const GAP: &str = "  ";

/// Prints a result on standard output, as one JSON document or for people.
pub fn print(result: &(impl Serialize + fmt::Display), json: bool) -> io::Result<()> {
    if json {
        return print_json(result);
    }
    let mut out = io::stdout().lock();
    write!(out, "{result}")?;
    out.flush()
}

/// Prints one JSON document on standard output.
pub fn print_json(result: &impl Serialize) -> io::Result<()> {
    let mut out = io::stdout().lock();
    serde_json::to_writer(&mut out, result)?;
    writeln!(out)?;
    out.flush()
}

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

/// Returns a text as a field of CSV, quoted as RFC 4180 says.
pub fn csv_field(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}

/// Writes text in lines of at most [`COLUMNS`] columns. Lines after the first are indented
/// by two more columns. Control characters are escaped.
pub fn wrap(f: &mut impl fmt::Write, indent: &str, text: &str) -> fmt::Result {
    let subsequent = format!("{indent}  ");
    let options = options(COLUMNS).initial_indent(indent).subsequent_indent(&subsequent);
    lines(text, options).iter().try_for_each(|line| writeln!(f, "{line}"))
}

/// Returns text in lines of at most this many columns. Control characters are escaped.
pub fn wrapped(text: &str, columns: usize) -> Vec<String> {
    lines(text, options(columns))
}

/// Returns the options by which all text is wrapped.
fn options<'a>(width: usize) -> Options<'a> {
    Options::new(width)
        .word_separator(WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation)
        .wrap_algorithm(WrapAlgorithm::FirstFit)
}

fn lines(text: &str, options: Options<'_>) -> Vec<String> {
    let printable = printable(text);
    let words: Vec<_> = printable.split_whitespace().collect();
    textwrap::wrap(&words.join(" "), options).into_iter().map(Into::into).collect()
}

/// How the cells of a column are aligned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Align {
    Left,
    Right,
}

/// A table with aligned columns. A last column aligned at the left is wrapped.
#[derive(Clone, Debug)]
pub struct Table {
    indent: &'static str,
    columns: Vec<(Align, usize)>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// Returns an empty table with these columns.
    pub fn new(columns: &[Align]) -> Self {
        let columns = columns.iter().map(|&align| (align, 0)).collect();
        Self { indent: "", columns, rows: Vec::new() }
    }

    /// Returns an empty table of names and values.
    pub fn of_pairs() -> Self {
        Self::new(&[Align::Left, Align::Left])
    }

    /// Puts blanks in front of every row.
    #[must_use]
    pub fn indented(self, indent: &'static str) -> Self {
        Self { indent, ..self }
    }

    /// Sets the least widths of the columns, for rows that are printed one by one.
    #[must_use]
    pub fn with_widths(mut self, widths: &[usize]) -> Self {
        for ((_, width), &least) in self.columns.iter_mut().zip(widths) {
            *width = least;
        }
        self
    }

    /// Adds a row.
    pub fn row<T: Into<String>>(&mut self, cells: impl IntoIterator<Item = T>) -> &mut Self {
        let cells: Vec<_> = cells.into_iter().map(|cell| printable(&cell.into())).collect();
        for ((_, width), cell) in self.columns.iter_mut().zip(&cells) {
            *width = (*width).max(display_width(cell));
        }
        self.rows.push(cells);
        self
    }

    /// Returns one line with the widths of the table, which does not keep the row.
    pub fn line<T: Into<String>>(&self, cells: impl IntoIterator<Item = T>) -> String {
        let mut table = self.clone();
        table.rows.clear();
        table.row(cells).to_string()
    }

    fn write_row(&self, f: &mut impl fmt::Write, cells: &[String]) -> fmt::Result {
        let mut line = self.indent.to_owned();
        let last = self.columns.len() - 1;
        for (i, (&(align, width), cell)) in self.columns.iter().zip(cells).enumerate() {
            if i > 0 {
                line += GAP;
            }
            let blanks = " ".repeat(width.saturating_sub(display_width(cell)));
            match align {
                Align::Right => line = line + &blanks + cell,
                Align::Left if i < last => line = line + cell + &blanks,
                Align::Left => return write_wrapped(f, &line, cell),
            }
        }
        writeln!(f, "{}", line.trim_end())
    }
}

/// Writes text after `before`, wrapped and aligned with its first line.
fn write_wrapped(f: &mut impl fmt::Write, before: &str, text: &str) -> fmt::Result {
    let indent = " ".repeat(display_width(before));
    // With less than half of the line left, a long line is easier to read.
    let width = if indent.len() > COLUMNS / 2 { usize::MAX } else { COLUMNS };
    let options = options(width).initial_indent(before).subsequent_indent(&indent);
    match lines(text, options) {
        empty if empty.is_empty() => writeln!(f, "{}", before.trim_end()),
        lines => lines.iter().try_for_each(|line| writeln!(f, "{}", line.trim_end())),
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.rows.iter().try_for_each(|row| self.write_row(f, row))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shortened_text_fits_its_width() {
        assert_eq!(shortened("abcdef", 6), "abcdef");
        assert_eq!(shortened("abcdefg", 6), "abcde…");
        for width in 2..12 {
            assert!(display_width(&shortened("名前の長いエージェント", width)) <= width);
        }
    }

    #[test]
    fn columns_are_aligned() {
        let mut table = Table::new(&[Align::Left, Align::Right, Align::Left]).indented("  ");
        table.row(["name", "n", "what"]).row(["größe", "1,000", "it is"]).row(["", "", ""]);
        let expected = "  name       n  what\n  größe  1,000  it is\n\n";
        assert_eq!(table.to_string(), expected);
        let fixed = Table::new(&[Align::Right, Align::Right]).with_widths(&[3, 5]);
        assert_eq!(fixed.line(["1", "20"]), "  1     20\n");
    }

    #[test]
    fn the_last_column_is_wrapped_at_80_columns() {
        let mut table = Table::of_pairs();
        table.row(["name", &"word ".repeat(40)]).row(["longest name", "\u{1b}[2J\n"]);
        let text = table.to_string();
        assert!(text.lines().all(|line| line.chars().count() <= COLUMNS), "{text}");
        let indent = " ".repeat("longest name".len() + GAP.len());
        assert!(text.lines().nth(1).unwrap().starts_with(&format!("{indent}word")), "{text}");
        assert!(text.contains("\\u{1b}[2J") && !text.contains('\u{1b}'), "{text}");
    }

    #[test]
    fn wrapped_text_fits_80_columns() {
        let mut text = String::new();
        wrap(&mut text, " ", &format!("{} {}", "a-b ".repeat(30), "x".repeat(200))).unwrap();
        assert!(text.lines().count() > 4);
        for (i, line) in text.lines().enumerate() {
            assert!(line.chars().count() <= COLUMNS, "{line}");
            assert!(line.starts_with(if i == 0 { " a" } else { "   " }), "{line}");
        }
    }

    #[test]
    fn texts_with_commas_and_quotes_are_csv_field() {
        assert_eq!(csv_field("greedy"), "greedy");
        assert_eq!(csv_field("2048(rows: 3, cols: 3)"), "\"2048(rows: 3, cols: 3)\"");
        assert_eq!(csv_field("n(model: \"a\")"), "\"n(model: \"\"a\"\")\"");
    }
}
