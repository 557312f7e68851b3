//! The package of Python in `plugins/python`: its tests, with gymnasium's own checker.

use crate::harness::python_with;
use std::path::Path;
use std::process::Command;

#[test]
fn gymnasium_accepts_the_environment() {
    let Some(python) = python_with("gymnasium") else { return };
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
