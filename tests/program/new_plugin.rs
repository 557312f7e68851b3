//! `runner plugins new`: crates outside this workspace, in a folder whose name contains a space.
//!
//! They share a target folder below the workspace's with those of the guide. They are built without
//! `--release`, which would double the time and tests nothing more.

use crate::harness::{command, ran, target_of_new_crates, text};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder with the same path in every run, so that cargo can reuse what it has built.
struct Workshop(PathBuf);

impl Workshop {
    fn open() -> Self {
        let key = crc32fast::hash(env!("CARGO_TARGET_TMPDIR").as_bytes());
        let folder = std::env::temp_dir().join(format!("runner new plugin {key:08x}"));
        // An interrupted test may have left files.
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }
}

impl Drop for Workshop {
    fn drop(&mut self) {
        // Files that cannot be removed do no harm.
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn cargo_output(folder: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO"));
    command.args(words).current_dir(folder).env("CARGO_TARGET_DIR", target_of_new_crates());
    // The tests of the crate play thousands of games, and its learner learns.
    command.env("CARGO_PROFILE_DEV_OPT_LEVEL", "1").env("CARGO_PROFILE_DEV_DEBUG", "false");
    // This variable would change the folder of the library.
    command.env_remove("CARGO_BUILD_TARGET").output().expect("cargo starts")
}

/// Runs cargo, offline if possible, and returns its messages.
#[track_caller]
fn cargo(folder: &Path, words: &[&str]) -> String {
    let mut output = cargo_output(folder, &[words, &["--offline"]].concat());
    let printed = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() && printed.contains("--offline") {
        output = cargo_output(folder, words);
    }
    let printed = String::from_utf8_lossy(&output.stderr).into_owned();
    let out = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "cargo {words:?} in {}: {printed}\n{out}", folder.display());
    printed
}

/// Returns the source of the template `sliding` with the other form of everything in place of the
/// first.
fn with_other_forms(source: &str) -> String {
    let begins =
        |line: &str| line.trim().split(['=', ':', '!']).next().unwrap_or_default().to_owned();
    let forms = ["let ", "pub ", "runner_plugin"];
    let other = |line: &str| {
        let form = line.trim().strip_prefix("// ")?;
        forms.iter().any(|begin| form.starts_with(begin)).then(|| form.to_owned())
    };
    let others: Vec<_> = source.lines().filter_map(other).collect();
    assert_eq!(others.len(), 7, "{others:?}");
    let is_replaced = |line: &&str| !others.iter().any(|form| begins(form) == begins(line));
    let lines = source.lines().filter(is_replaced);
    lines.map(|line| other(line).unwrap_or_else(|| line.to_owned()) + "\n").collect()
}

/// The guide tests the other templates. One test, because cargo locks the target folder.
#[test]
fn templates_have_no_warnings_and_a_sliding_game_with_all_changes_satisfies_the_laws() {
    let workshop = Workshop::open();
    // A plain name, one that is used in the crate, and names that are not identifiers.
    let names =
        [("game", "coins"), ("value", "plugin"), ("agent", "far-seeing"), ("sliding", "2048x")];
    for (kind, name) in names {
        ran(command(&["plugins", "new", kind, name]).current_dir(&workshop.0)).success();
        let printed = cargo(&workshop.0.join(name), &["test", "--no-run"]);
        assert!(!printed.contains(&format!("warning: `runner-plugin-{name}`")), "{printed}");
    }
    let folder = workshop.0.join("2048x");
    let source = fs::read_to_string(folder.join("src/lib.rs")).unwrap();
    fs::write(folder.join("src/lib.rs"), with_other_forms(&source)).unwrap();
    cargo(&folder, &["test", "--test", "game", "laws"]);
}

/// Reads the manifest with cargo, in a folder inside another workspace and with a path of
/// the framework that contains special characters.
#[cfg(unix)]
#[test]
fn manifest_is_its_own_workspace_and_quotes_the_path_of_the_framework() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("Cargo.toml"), "[workspace]\nmembers = []\n").unwrap();
    let framework = folder.path().join("a \"quoted\\n\" 'folder' __name__");
    std::os::unix::fs::symlink(env!("CARGO_MANIFEST_DIR"), &framework).unwrap();
    let new = ["plugins", "new", "agent", "mine", "--framework", text(&framework)];
    ran(command(&new).current_dir(folder.path())).success();
    let made = folder.path().join("mine");
    let output = cargo_output(&made, &["metadata", "--no-deps", "--format-version", "1"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let root = Path::new(found["workspace_root"].as_str().unwrap());
    assert_eq!(root.canonicalize().unwrap(), made.canonicalize().unwrap());
    let mut paths: Vec<_> = found["packages"][0]["dependencies"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|dependency| dependency["path"].as_str())
        .map(PathBuf::from)
        .collect();
    let mut expected =
        ["core", "plugin", "laws"].map(|name| framework.join("framework").join(name));
    expected.sort();
    paths.sort();
    assert_eq!(paths, expected);
}
