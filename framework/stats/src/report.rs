//! The result of a job: lines and tables of at most 80 columns for people, and one JSON document
//! for programs. `runner-console` prints it.

mod labels;
mod table;
mod text;

pub use labels::shortened_labels;
pub use table::{Align, Table};
pub use text::{COLUMNS, shortened, wrap, wrapped};

use crate::FEWEST_GAMES;
use runner_spec::printable;
use runner_spec::quantity::number;
use serde::Serialize;
use std::fmt::{self, Write as _};

/// The result of a job. Displayed, it is the text for people.
///
/// ```
/// use runner_stats::report::{Align, Report, Table};
///
/// let mut report = Report::default();
/// report.field("game", "2048").field("states", 70);
/// report.line("2048(rows: 2, cols: 2)");
/// let mut table = Table::new(&[Align::Left, Align::Right]);
/// table.row(["states", "70"]);
/// report.section().table(table);
/// assert_eq!(report.to_string(), "2048(rows: 2, cols: 2)\n\nstates  70\n");
/// assert_eq!(report.json(), r#"{"game":"2048","states":70}"#);
/// ```
#[derive(Clone, Debug)]
pub struct Report {
    /// Parts of the text. A blank line stands between two sections.
    sections: Vec<Vec<Part>>,
    document: String,
    notes: Vec<String>,
}

#[derive(Clone, Debug)]
enum Part {
    Line(&'static str, String),
    /// A line that is not wrapped.
    Whole(String),
    Table(Table),
}

impl Default for Report {
    fn default() -> Self {
        Self { sections: vec![Vec::new()], document: "{}".into(), notes: Vec::new() }
    }
}

impl Report {
    /// Returns a report with this JSON document, and no text yet.
    pub fn of(document: &impl Serialize) -> Self {
        Self { document: json(document), ..Self::default() }
    }

    /// Adds a field to the JSON document, which must be an object.
    pub fn field(&mut self, name: &str, value: impl Serialize) -> &mut Self {
        let end = self.document.pop();
        assert_eq!(end, Some('}'), "a field `{name}` of a document that is no object");
        if self.document.len() > 1 {
            self.document.push(',');
        }
        self.document = format!("{}{}:{}}}", self.document, json(&name), json(&value));
        self
    }

    /// Adds a line of text, which is wrapped.
    pub fn line(&mut self, text: impl fmt::Display) -> &mut Self {
        self.add(Part::Line("", text.to_string()))
    }

    /// Adds lines of text, each of which is wrapped.
    pub fn lines(&mut self, texts: impl IntoIterator<Item: fmt::Display>) -> &mut Self {
        for text in texts {
            self.line(text);
        }
        self
    }

    /// Adds an indented line of text, which is wrapped.
    pub fn detail(&mut self, text: impl fmt::Display) -> &mut Self {
        self.add(Part::Line("  ", text.to_string()))
    }

    /// Adds a line that is not wrapped: a path can be copied.
    pub fn whole_line(&mut self, text: impl fmt::Display) -> &mut Self {
        self.add(Part::Whole(text.to_string()))
    }

    /// Adds a table. One without rows prints nothing.
    pub fn table(&mut self, table: Table) -> &mut Self {
        self.add(Part::Table(table))
    }

    /// Separates what follows by a blank line, unless nothing follows or nothing stands before it.
    pub fn section(&mut self) -> &mut Self {
        self.sections.push(Vec::new());
        self
    }

    /// Adds a note, which is printed beside the result.
    pub fn note(&mut self, text: impl fmt::Display) -> &mut Self {
        self.notes.push(text.to_string());
        self
    }

    fn add(&mut self, part: Part) -> &mut Self {
        self.sections.last_mut().expect("a report has a section").push(part);
        self
    }

    pub fn json(&self) -> &str {
        &self.document
    }

    pub fn notes(&self) -> &[String] {
        &self.notes
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut is_first = true;
        for section in &self.sections {
            let mut text = String::new();
            for part in section {
                match part {
                    Part::Line(indent, line) => wrap(&mut text, indent, line)?,
                    Part::Whole(line) => writeln!(text, "{}", printable(line))?,
                    Part::Table(table) => write!(text, "{table}")?,
                }
            }
            if !text.is_empty() {
                f.write_str(if is_first { "" } else { "\n" })?;
                f.write_str(&text)?;
                is_first = false;
            }
        }
        Ok(())
    }
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("the keys of all documents are texts")
}

/// Returns the mean score of `games` games with its 95% interval, or a hyphen without a mean. Of
/// too few games for an interval, `ci95` is the range of the scores.
///
/// ```
/// # use runner_stats::report::mean_with_interval;
/// let of_few = mean_with_interval(Some(4.0), Some([1.0, 9.0]), 3);
/// assert_eq!(of_few, "4, too few games for an interval; scores from 1 to 9");
/// assert_eq!(mean_with_interval(Some(4.0), None, 50), "4, too few games for an interval");
/// assert_eq!(mean_with_interval(Some(4.0), Some([3.5, 6.0]), 50), "4, 95% interval 3.500 to 6");
/// assert_eq!(mean_with_interval(Some(0.0), Some([0.0; 2]), 50), "0, all scores are equal");
/// ```
pub fn mean_with_interval(mean: Option<f64>, ci95: Option<[f64; 2]>, games: u64) -> String {
    let Some(mean) = mean.map(number) else { return "-".into() };
    let [low, high] = match ci95 {
        None => return format!("{mean}, too few games for an interval"),
        Some(ends) => ends.map(number),
    };
    match ci95 {
        _ if games < FEWEST_GAMES => {
            format!("{mean}, too few games for an interval; scores from {low} to {high}")
        }
        Some([low, high]) if low == high => format!("{mean}, all scores are equal"),
        _ => format!("{mean}, 95% interval {low} to {high}"),
    }
}

/// Returns the interval of a mean score of `games` games for a table: in parentheses the range of
/// too few games for an interval, which [`RANGE`] explains.
pub fn interval_cell([low, high]: [f64; 2], games: u64) -> String {
    let ends = format!("{} to {}", number(low), number(high));
    if games < FEWEST_GAMES { format!("({ends})") } else { ends }
}

/// Formats the number of games without luck taken off that one with it counts as.
pub fn counts_as(saving: f64) -> String {
    if saving < 1e3 { format!("{saving:.2}") } else { "over 1,000".into() }
}

pub const RANGE: &str =
    "In parentheses: the range of the scores of fewer than ten games, too few for an interval.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_lines_stand_between_sections_that_print_something() {
        let mut report = Report::default();
        report.section().table(Table::of_pairs());
        report.section().line("a title").detail("and more");
        report.section().table(Table::of_pairs());
        report.section().section().whole_line("x".repeat(90)).section();
        let expected = format!("a title\n  and more\n\n{}\n", "x".repeat(90));
        assert_eq!(report.to_string(), expected);
        assert_eq!(report.json(), "{}");
    }

    #[test]
    fn fields_follow_those_of_a_document() {
        #[derive(Serialize)]
        struct Rates {
            share: f32,
            of: Vec<u64>,
        }
        let mut report = Report::of(&Rates { share: 0.1, of: vec![1, 2] });
        report.field("na\"me", Some("x")).field("mean", f64::NAN);
        assert_eq!(report.json(), r#"{"share":0.1,"of":[1,2],"na\"me":"x","mean":null}"#);
    }
}
