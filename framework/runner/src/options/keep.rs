//! The options of commands that keep their games in a file, from which --resume continues.

use super::command_line::CommandLine;
use crate::context::Context;
use clap::Args;
use runner_console::notes::note;
use runner_files::Outputs;
use runner_play::failure::Failure;
use runner_play::inputs::ReplacedInput;
use runner_play::kept::{Job, Kept};
use runner_spec::quantity::counted;
use std::path::{Path, PathBuf};

/// How a run that continues treats what has changed since it began.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct ChangeOptions {
    /// Continue although a model, a table, a program or a plugin was replaced
    #[arg(long)]
    pub accept_changes: bool,
}

impl ChangeOptions {
    pub const FLAG: &str = "accept-changes";

    pub fn replaced(self) -> ReplacedInput<'static> {
        if self.accept_changes { ReplacedInput::Accepted } else { ReplacedInput::Refused }
    }
}

/// The file that keeps the games of a command, which continues with it.
#[derive(Debug, Clone, Default, Args)]
pub struct KeepOptions {
    /// Keep the games in this file, with which --resume continues
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Continue with the games of the file
    #[arg(long)]
    pub resume: bool,
    #[command(flatten)]
    pub changes: ChangeOptions,
}

impl KeepOptions {
    /// Opens the file of --out, if there is one. `force` permits to overwrite it.
    pub fn open(
        &self,
        force: bool,
        job: &Job<'_>,
        context: &Context,
    ) -> Result<Option<Kept>, Failure> {
        let Some(out) = &self.out else { return Ok(None) };
        let registry = context.registry();
        // Whether the file may exist is checked below.
        let outputs = Outputs::default().writes("the games", out);
        context.check_outputs(job.input_files(registry), outputs, true)?;
        self.refuse_file(out, force)?;
        let kept = Kept::open(out, job, self.resume, self.changes.replaced(), registry)?;
        self.note_count(&kept);
        Ok(Some(kept))
    }

    /// Refuses a file that exists without --resume or `force`, and one that is missing for
    /// --resume.
    pub fn refuse_file(&self, path: &Path, force: bool) -> Result<(), Failure> {
        let (exists, file) = (path.is_file(), path.display());
        let message = if self.resume && force {
            "--resume continues a file and --force overwrites it: give one".into()
        } else if self.resume && !exists {
            format!("{file} does not exist; leave out --resume to begin")
        } else if exists && !self.resume && !force {
            format!("{file} exists already; --resume continues it, --force overwrites it")
        } else {
            return Ok(());
        };
        Err(Failure::usage(message))
    }

    /// Notes how many games a file that is continued has.
    pub fn note_count(&self, kept: &Kept) {
        if self.resume {
            note(format!("{} were played before", counted(kept.count(), "game")));
        }
    }

    /// Returns what the user can do after an interrupt; `None` without a file.
    pub fn how_to_continue(&self, file: Option<&PathBuf>, typed: &CommandLine) -> Option<String> {
        let out = file?.display();
        let command = typed.resuming(&["force"]);
        Some(format!("the games so far are in {out}; continue with: {command}"))
    }
}
