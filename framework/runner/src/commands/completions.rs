//! `runner completions` and `runner man`: what is made from the description of the command line.

use crate::context::{Context, Execute};
use clap::Args;
use clap_complete::Shell;
use runner_files::FileError;
use runner_play::failure::Failure;
use std::io::Write;
use std::path::PathBuf;

/// Print a completion script for a shell
#[derive(Debug, Args)]
pub struct CompletionsOptions {
    /// Shell
    shell: Shell,
}

impl Execute for CompletionsOptions {
    fn execute(self, context: &Context) -> Result<(), Failure> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut (context.command_line)(), "runner", &mut script);
        Ok(std::io::stdout().write_all(&script)?)
    }
}

/// Write a manual page for each command
#[derive(Debug, Args)]
pub struct ManOptions {
    /// Folder to write to
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

impl Execute for ManOptions {
    fn execute(self, context: &Context) -> Result<(), Failure> {
        runner_files::create_folder(&self.out)?;
        let pages = clap_mangen::generate_to((context.command_line)(), &self.out);
        Ok(pages.map_err(FileError::at("write", &self.out))?)
    }
}
