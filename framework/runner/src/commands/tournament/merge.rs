//! `runner tournament merge`.

use super::table;
use crate::context::{Context, Execute};
use crate::options::ChangeOptions;
use clap::Args;
use runner_console::output::print_report;
use runner_files::Outputs;
use runner_play::failure::Failure;
use runner_play::inputs::InputFiles;
use runner_tournament::merge_and_report;
use std::path::PathBuf;

/// Join the folders of all parts of a tournament, which were played with --rounds
#[derive(Debug, Clone, Args)]
pub struct MergeOptions {
    /// Folders of the parts
    #[arg(value_name = "DIR", required = true)]
    parts: Vec<PathBuf>,
    /// Folder of the whole tournament
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    changes: ChangeOptions,
    /// Print the report as one JSON document
    #[arg(long)]
    json: bool,
}

impl Execute for MergeOptions {
    fn execute(self, context: &Context) -> Result<(), Failure> {
        let outputs = Outputs::default().writes("the tournament", &self.out);
        context.check_outputs(InputFiles::default().and(&self.parts), outputs, true)?;
        let (replaced, command) = (self.changes.replaced(), context.typed.to_string());
        let report =
            merge_and_report(&self.parts, &self.out, replaced, command, context.registry())?;
        print_report(&table::report(&report), self.json)?;
        report.refuse_forfeits()
    }
}
