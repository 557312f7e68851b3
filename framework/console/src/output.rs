//! Printed results.

use crate::notes::note;
pub use runner_report::{
    Align, COLUMNS, Report, Table, csv_field, mean_with_interval, shortened, shortened_labels,
    wrap, wrapped,
};
use serde::Serialize;
use std::fmt;
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
