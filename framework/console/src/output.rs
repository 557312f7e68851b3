//! Printed results.

use crate::notes::note;
pub use runner_stats::report::{
    Align, COLUMNS, Report, Table, counts_as, mean_with_interval, shortened, shortened_labels,
    wrap, wrapped,
};
use std::io::{self, Write as _};

/// Prints the text of a report or its JSON document, and then its notes.
pub fn print_report(report: &Report, json: bool) -> io::Result<()> {
    let mut out = io::stdout().lock();
    if json {
        writeln!(out, "{}", report.json())?;
    } else {
        write!(out, "{report}")?;
    }
    out.flush()?;
    drop(out);
    report.notes().iter().for_each(note);
    Ok(())
}
