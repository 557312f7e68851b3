//! The results of jobs as data: tables and text of at most 80 columns ([`Report`], [`Table`],
//! [`wrap`]), and one JSON document. `runner-console` prints them.
//!
//! In dependency order: text (`text`), labels in a row (`labels`), tables (`table`) and reports
//! (`report`).
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    warn(clippy::disallowed_methods, clippy::print_stderr, clippy::print_stdout)
)]

mod labels;
mod report;
mod table;
mod text;

pub use labels::shortened_labels;
pub use report::{RANGE, Report, counts_as, interval_cell, mean_with_interval};
pub use table::{Align, Table};
pub use text::{COLUMNS, shortened, wrap, wrapped};
