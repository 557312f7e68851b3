//! The page of `runner serve` and the static page in a browser: Chromium without a window, driven by
//! Playwright.

use crate::harness::place::Place;
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

/// Runs `browser/page.py` and `browser/session.py`. Without Chromium it is skipped everywhere: it does not come from a registry
/// of packages. Pictures of the page are written to the folder that the variable `RUNNER_PICTURES`
/// names.
#[test]
fn page_plays_hints_and_replays() {
    let Some(python) = browser() else { return };
    pass_unittests(&python, "tests/program/browser", &["page.py", "session.py"]);
}

/// The script that builds the static page.
const BUILD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/framework/web/build");

#[test]
fn static_page_replaces_no_folder_that_it_did_not_make() {
    let place = Place::new();
    std::fs::write(place.path("thesis.txt"), "kept").unwrap();
    let built = Command::new(BUILD).arg(".").current_dir(place.path("")).output().unwrap();
    let message = String::from_utf8(built.stderr).unwrap();
    assert!(
        !built.status.success() && message.contains("was not made by this script"),
        "{message}"
    );
    assert_eq!(place.text("thesis.txt"), "kept");
}

/// Builds the static page and runs `browser/web.py`.
#[test]
#[ignore = "it compiles two WebAssembly modules"]
fn static_page_plays_with_the_values_of_the_program() {
    let Some(python) = browser() else { return };
    let built = Command::new(BUILD).status().unwrap();
    assert!(built.success(), "{built}");
    pass_unittests(&python, "tests/program/browser", &["web.py"]);
}
