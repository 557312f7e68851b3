//! The page of `runner serve` in a browser: Chromium without a window, driven by Playwright.

use std::path::Path;
use std::process::Command;

/// Runs `browser/page.py` with the Python that the variable `RUNNER_PYTHON` names, or `python3`.
/// Without Playwright it is skipped, except where the variable `RUNNER_CI` is set, and without
/// Chromium everywhere: it does not come from a registry of packages.
/// Pictures of the page are written to the folder that the variable `RUNNER_PICTURES` names.
#[test]
fn page_plays_hints_replays_and_plays_on_another_page() {
    let python = std::env::var_os("RUNNER_PYTHON").unwrap_or_else(|| "python3".into());
    let mut found = Command::new(&python);
    let found = found.args(["-c", "import playwright"]).output();
    if !found.is_ok_and(|found| found.status.success()) {
        let python = Path::new(&python).display();
        assert!(std::env::var_os("RUNNER_CI").is_none(), "{python} cannot import playwright");
        eprintln!("skipped: {python} cannot import playwright; name another with RUNNER_PYTHON");
        return;
    }
    if Command::new("chromium").arg("--version").output().is_err() {
        eprintln!("skipped: `chromium` is missing");
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/program/browser");
    let tested = Command::new(&python)
        .args(["-B", "-m", "unittest", "page.py"])
        .current_dir(folder)
        .env("RUNNER", env!("CARGO_BIN_EXE_runner"))
        .env_remove("RUNNER_PLUGINS")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&tested.stderr);
    assert!(tested.status.success() && text.contains("\nOK"), "{text}");
}
