//! `runner guide`: where the user's guide is.

use crate::context::{Context, Execute};
use clap::Args;
use runner_play::failure::Failure;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Print where the guide is: a page for a browser, or its text in a checkout
#[derive(Debug, Args)]
pub struct GuideOptions {}

impl Execute for GuideOptions {
    fn execute(self, _: &Context) -> Result<(), Failure> {
        let program = std::env::current_exe()?;
        match find(&program) {
            Some(guide) => Ok(writeln!(std::io::stdout(), "{}", guide.display())?),
            None => Err(Failure::failed(format!(
                "there is no guide beside {}: it is in `share/doc` of a release's archive, and in \
                 `framework/guide/src` of the sources",
                program.display()
            ))),
        }
    }
}

/// Finds the guide of an archive, which has the program in `bin`, or of a checkout around the program.
fn find(program: &Path) -> Option<PathBuf> {
    let installed = program.parent()?.parent()?.join("share/doc/runner/guide/index.html");
    let sources = program.ancestors().map(|folder| folder.join("framework/guide/src/index.md"));
    [installed].into_iter().chain(sources).find(|guide| guide.is_file())
}
