//! The report as Markdown.

use super::figures::TournamentReport;
use super::tables::{NOTES, ReportTable};
use runner_spec::steers_terminal;

pub fn text(report: &TournamentReport) -> String {
    let mut out = format!("# {}\n\n{}.\n", escaped(report.title()), report.headline());
    out += &format!("\n{}\n", escaped(&report.run.to_string()));
    if !report.complete {
        out += "\nThe tournament is not complete.\n";
    }
    for game in report.games() {
        for table in report.tables_of(game) {
            let separator = if table.what.is_empty() { "" } else { ": " };
            let heading = format!("{}{separator}{}", escaped(game), table.what);
            out += &format!("\n## {heading}\n\n{}", markdown_table(&table));
        }
    }
    if let Some(table) = report.ratings_table() {
        out += &format!("\n## {}\n\n{}", table.what, markdown_table(&table));
    }
    let forfeits = report.forfeits();
    if !forfeits.is_empty() {
        out += "\n## Forfeited games\n\n";
        forfeits.iter().for_each(|line| out += &format!("- {}\n", escaped(line)));
    }
    let inputs = report.inputs_table();
    out += &format!("\n## {}\n\n{}", inputs.what, markdown_table(&inputs));
    out += "\n## Notes\n\n";
    NOTES.iter().for_each(|note| out += &format!("- {note}\n"));
    out
}

fn markdown_table(table: &ReportTable) -> String {
    let mut alignments = vec!["---"; table.labels];
    alignments.resize(table.columns.len(), "---:");
    let mut out = format!("| {} |\n| {} |\n", table.columns.join(" | "), alignments.join(" | "));
    for row in &table.rows {
        let cells: Vec<_> = row.iter().map(|cell| escaped(cell)).collect();
        out += &format!("| {} |\n", cells.join(" | "));
    }
    out
}

/// Escapes the characters that have a meaning in Markdown.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if steers_terminal(c) => out.push(' '),
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '\\' | '|' | '*' | '_' | '`' | '[' | ']' | '~' | '$' => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    out
}
