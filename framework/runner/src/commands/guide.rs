//! `runner guide`: where the user's guide is.

use crate::context::{Context, Execute};
use clap::Args;
use runner_play::failure::Failure;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Print where the guide is: a page for a browser, or its text in a checkout
#[derive(Debug, Args)]
pub struct GuideOptions {}

/// The guide of an archive and of a checkout, below a folder that the program lies in.
const PLACES: [&str; 2] = ["share/doc/runner/guide/index.html", "framework/guide/src/index.md"];

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

fn find(program: &Path) -> Option<PathBuf> {
    let folders = program.ancestors().skip(1);
    let mut guides = folders.flat_map(|folder| PLACES.map(|place| folder.join(place)));
    guides.find(|guide| guide.is_file())
}
