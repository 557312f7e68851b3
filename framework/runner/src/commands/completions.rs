//! `runner completions`: a completion script for a shell.

use crate::context::{Context, Execute};
use clap::Args;
use clap_complete::Shell;
use runner_play::failure::Failure;
use std::io::Write;

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
