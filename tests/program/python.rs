//! The package of Python in `plugins/python`: its tests, with gymnasium's own checker.

use crate::harness::{pass_unittests, python_with};

#[test]
fn gymnasium_accepts_the_environment() {
    let Some(python) = python_with("gymnasium") else { return };
    pass_unittests(&python, "plugins/python", &["discover", "tests"]);
}
