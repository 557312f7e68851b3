//! `runner guide`: where the user's guide is.

use super::serve::open_page;
use crate::context::{Context, Execute};
use clap::Args;
use runner_play::failure::Failure;
use std::ffi::OsStr;
use std::io::{IsTerminal, Write, stdout};
use std::path::{Path, PathBuf};

/// Print where the guide is, and open its page on a desktop; a checkout has its text
#[derive(Debug, Args)]
pub struct GuideOptions {}

impl Execute for GuideOptions {
    fn execute(self, _: &Context) -> Result<(), Failure> {
        let program = std::env::current_exe()?;
        match find(&program) {
            Some(guide) => {
                writeln!(stdout(), "{}", guide.display())?;
                if guide.extension() == Some(OsStr::new("html")) && is_read_on_a_desktop() {
                    open_page(&guide.to_string_lossy());
                }
                Ok(())
            }
            None => Err(Failure::failed(format!(
                "there is no guide beside {}: it is in `share/doc` of a release's archive, and in \
                 `framework/guide/src` of the sources",
                program.display()
            ))),
        }
    }
}

/// Finds the guide: the page in an archive whose `bin` has the program, or the text in a checkout.
/// The checkout is a folder around the program, or the one from which the program was built.
fn find(program: &Path) -> Option<PathBuf> {
    let installed = program.parent()?.parent()?.join("share/doc/runner/guide/index.html");
    let folders = program.ancestors().chain([Path::new(env!("CARGO_MANIFEST_DIR"))]);
    let sources = folders.map(|folder| folder.join("framework/guide/src/index.md"));
    [installed].into_iter().chain(sources).find(|guide| guide.is_file())
}

/// Returns true if a person reads the output of the program on a desktop.
fn is_read_on_a_desktop() -> bool {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let has_desktop = cfg!(any(windows, target_os = "macos"))
        || ["DISPLAY", "WAYLAND_DISPLAY", "BROWSER"].into_iter().any(is_set);
    has_desktop && stdout().is_terminal()
}
