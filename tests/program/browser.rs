//! The page of `runner serve` in a browser: Chromium without a window, driven by Playwright.

use crate::harness::{pass_unittests, python_with};
use std::path::PathBuf;
use std::process::Command;

/// Returns the Python that drives the browser, unless one of both is missing.
fn browser() -> Option<PathBuf> {
    let python = python_with("playwright")?;
    if Command::new("chromium").arg("--version").output().is_err() {
        eprintln!("skipped: `chromium` is missing");
        return None;
    }
    Some(python)
}

/// Runs `browser/page.py`. Without Chromium it is skipped everywhere: it does not come from a
/// registry of packages. Pictures of the page are written to the folder that the variable
/// `RUNNER_PICTURES` names.
#[test]
fn page_plays_hints_and_replays() {
    let Some(python) = browser() else { return };
    pass_unittests(&python, "tests/program/browser", &["page.py"]);
}
