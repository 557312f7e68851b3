//! `replay recover`: a record of the games of a run that did not finish.

use crate::context::Context;
use clap::Args;
use runner_console::notes::note;
use runner_console::output::{Report, print_report};
use runner_files::{Outputs, remove_if_abandoned};
use runner_play::failure::Failure;
use runner_records::target_of;
use runner_spec::quantity::counted;
use std::path::PathBuf;

/// The options of `replay recover`.
#[derive(Debug, Clone, Args)]
pub struct RecoverOptions {
    /// File of recorded games without its end, such as games.rec.partial
    file: PathBuf,
    /// Write the record to this file, and keep FILE [default: the record that FILE was to become; FILE
    /// is then removed]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Overwrite an existing file
    #[arg(long)]
    force: bool,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

pub(super) fn recover(options: &RecoverOptions, context: &Context) -> Result<(), Failure> {
    let RecoverOptions { file, out, force, json } = options;
    let Some(record) = out.clone().or_else(|| target_of(file)) else {
        return Err(Failure::usage("--out is missing: the file to write the record to"));
    };
    let outputs = Outputs::default().reads([file]).writes("the record", &record);
    context.check_outputs(outputs, *force)?;
    let recovered = runner_records::recover(file, &record)?;
    if recovered.games == 0 {
        return Err(match recovered.end {
            Some(end) => end.into(),
            None => Failure::in_file(file, "it holds no games"),
        });
    }
    if out.is_none() {
        remove_if_abandoned(file);
    }
    if let Some(end) = recovered.end {
        note(format!("note: {end}"));
    }
    let mut report = Report::default();
    report.field("file", &record).field("games", recovered.games);
    report.field("moves", recovered.moves);
    let (games, moves) = (counted(recovered.games, "game"), counted(recovered.moves, "move"));
    report.whole_line(format!("{}: {games}, {moves}", record.display()));
    Ok(print_report(&report, *json)?)
}
