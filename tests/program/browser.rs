//! The page of `runner serve` in a browser: Chromium without a window, driven by Playwright.

use crate::harness::{pass_unittests, python_with};
use std::process::Command;

/// Runs `browser/page.py`. Without Chromium it is skipped everywhere: it does not come from a registry
/// of packages. Pictures of the page are written to the folder that the variable `RUNNER_PICTURES`
/// names.
#[test]
fn page_plays_hints_replays_and_plays_on_another_page() {
    let Some(python) = python_with("playwright") else { return };
    if Command::new("chromium").arg("--version").output().is_err() {
        eprintln!("skipped: `chromium` is missing");
        return;
    }
    pass_unittests(&python, "tests/program/browser", &["page.py"]);
}
