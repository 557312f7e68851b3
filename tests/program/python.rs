//! The package of Python in `plugins/python`: its tests, with gymnasium's own checker.

use std::path::Path;
use std::process::Command;

/// Runs the tests with the Python that the variable `RUNNER_PYTHON` names, or `python3`. Without
/// gymnasium they are skipped, except where the variable `RUNNER_CI` is set.
#[test]
fn gymnasium_accepts_the_environment() {
    let python = std::env::var_os("RUNNER_PYTHON").unwrap_or_else(|| "python3".into());
    let mut found = Command::new(&python);
    let found = found.args(["-c", "import gymnasium"]).output();
    if !found.is_ok_and(|found| found.status.success()) {
        let python = Path::new(&python).display();
        assert!(std::env::var_os("RUNNER_CI").is_none(), "{python} cannot import gymnasium");
        eprintln!("skipped: {python} cannot import gymnasium; name another with RUNNER_PYTHON");
        return;
    }
    let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("plugins/python");
    let tested = Command::new(&python)
        .args(["-B", "-m", "unittest", "discover", "tests"])
        .current_dir(package)
        .env("RUNNER", env!("CARGO_BIN_EXE_runner"))
        .env_remove("RUNNER_PLUGINS")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&tested.stderr);
    assert!(tested.status.success() && text.contains("\nOK"), "{text}");
}
