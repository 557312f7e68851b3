//! The report of a tournament in a terminal: tables of at most 80 columns.

use runner_console::output::Align::{Left, Right};
use runner_console::output::{COLUMNS, Report, Table, shortened_labels};
use runner_tournament::report::{ReportTable, TournamentReport};
use textwrap::core::display_width;

/// Maximum width of a label, in columns.
const MAX_LABEL: usize = 26;
/// Labels are not cut to less than this width in columns, however wide the figures are.
const MIN_LABEL: usize = 8;

pub fn report(tournament: &TournamentReport) -> Report {
    let mut report = Report::of(tournament);
    if let Some(title) = &tournament.title {
        report.line(title);
    }
    report.line(tournament.headline());
    // The labels of all games together, so that each is cut alike in all tables of one width.
    let labels: Vec<_> = tournament.rows.iter().map(|row| row.agent.as_str()).collect();
    for game in tournament.games() {
        report.section().line(game);
        for table in tournament.tables_of(game).iter().filter(|table| !table.is_long) {
            report.table(fitted(&labels, table)).section();
        }
    }
    if let Some(table) = tournament.ratings_table() {
        report.section().line(table.what).table(fitted(&labels, &table));
    }
    report.section();
    for line in tournament.forfeits() {
        report.line(line);
    }
    report
}

/// Returns a table whose labels are as wide as they can be within the terminal and [`MAX_LABEL`].
fn fitted(labels: &[&str], table: &ReportTable) -> Table {
    let mut width = MAX_LABEL;
    loop {
        let cut = with_labels_of(width, labels, table);
        let fits = cut.to_string().lines().all(|line| display_width(line) <= COLUMNS);
        if fits || width == MIN_LABEL {
            return cut;
        }
        width -= 1;
    }
}

/// Cuts the labels, which the first `table.labels` columns hold, to at most this width.
fn with_labels_of(width: usize, labels: &[&str], table: &ReportTable) -> Table {
    let short = shortened_labels(labels.iter().copied(), width);
    let mut columns = vec![Left; table.labels];
    columns.resize(table.columns.len(), Right);
    let mut cut = Table::new(&columns).indented("  ");
    cut.row(table.columns.iter().map(String::as_str));
    for row in &table.rows {
        let (of_labels, figures) = row.split_at(table.labels);
        let shortened = of_labels.iter().map(|label| &short[label.as_str()]);
        cut.row(shortened.chain(figures));
    }
    cut
}
