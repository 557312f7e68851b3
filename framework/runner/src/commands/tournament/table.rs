//! The report of a tournament in a terminal: tables of at most 80 columns.

use runner_console::output::Align::{Left, Right};
use runner_console::output::{COLUMNS, Report, Table, shortened_labels};
use runner_tournament::report::{ReportTable, TournamentReport};
use textwrap::core::display_width;

/// Maximum width of a label, in columns.
const LABEL: usize = 26;
/// Width that a label keeps however wide the figures are, in columns.
const NARROWEST: usize = 8;

pub fn report(tournament: &TournamentReport) -> Report {
    let mut report = Report::of(tournament);
    if let Some(title) = &tournament.title {
        report.line(title);
    }
    report.line(tournament.headline());
    // All labels, so that each is cut in the same way in all tables of one width.
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

/// Returns a table with the widest labels, up to [`LABEL`] columns, with which it fits the terminal.
fn fitted(labels: &[&str], table: &ReportTable) -> Table {
    let of_width = |width: usize| {
        let short = shortened_labels(labels.iter().copied(), width);
        let is_label = |column: usize| column < table.labels;
        let columns = (0..table.columns.len()).map(|i| if is_label(i) { Left } else { Right });
        let mut cut = Table::new(&columns.collect::<Vec<_>>()).indented("  ");
        cut.row(table.columns.iter().map(String::as_str));
        for row in &table.rows {
            let cells = row.iter().enumerate();
            cut.row(cells.map(|(i, cell)| if is_label(i) { &short[cell.as_str()] } else { cell }));
        }
        cut
    };
    let fits = |table: &Table| table.to_string().lines().all(|line| display_width(line) <= COLUMNS);
    (NARROWEST..=LABEL).rev().map(of_width).find(fits).unwrap_or_else(|| of_width(NARROWEST))
}
