//! `runner man`: the manual pages of an archive.

use crate::context::{Context, Execute};
use clap::Args;
use runner_files::FileError;
use runner_play::failure::Failure;
use std::path::PathBuf;

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
