//! Tables with aligned columns.

use super::text::{COLUMNS, lines, options};
use runner_spec::printable;
use std::fmt;
use textwrap::core::display_width;

const GAP: &str = "  ";

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
    if text.trim().is_empty() {
        return writeln!(f, "{}", before.trim_end());
    }
    lines(text, options).iter().try_for_each(|line| writeln!(f, "{}", line.trim_end()))
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
    fn columns_are_aligned() {
        let mut table = Table::new(&[Align::Left, Align::Right, Align::Left]).indented("  ");
        table.row(["name", "n", "what"]).row(["größe", "1,000", "it is"]).row(["x", "", ""]);
        let expected = "  name       n  what\n  größe  1,000  it is\n  x\n";
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
}
