//! `runner plugins new`: the generated crates build, pass their tests, load and play, in a
//! folder outside this workspace whose name contains a space.
//!
//! The generated crates share one target folder below the workspace's: their
//! dependencies are compiled once, and again only when the framework changes. They are
//! built without `--release`, which would double the time and tests nothing more.

use crate::harness::{Ran, command, ran, text};
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

    /// Runs the program in the folder, with an own data folder.
    fn runner(&self, arguments: &[&str]) -> Ran {
        let mut command = command(arguments);
        ran(command.current_dir(&self.0).env("XDG_DATA_HOME", self.0.join("data")))
    }

    /// Creates a plugin, runs its tests and returns its library.
    ///
    /// The commands are those that the program prints, in another profile.
    fn make(&self, kind: &str, name: &str) -> PathBuf {
        let made = self.runner(&["plugins", "new", kind, name]).success();
        assert!(made.out.contains(&format!("    cd {name}\n")), "{}", made.out);
        let folder = self.0.join(name);
        for word in ["test", "build"] {
            let line = format!("    cargo {word} --release\n");
            assert!(made.out.contains(&line), "{}", made.out);
            let printed = cargo(&folder, &[word]);
            let own_warning = format!("warning: `runner-plugin-{name}`");
            assert!(!printed.contains(&own_warning), "{printed}");
        }
        let crate_name = format!("runner-plugin-{name}");
        target().join("debug").join(runner_play::registry::library_name(&crate_name))
    }
}

impl Drop for Workshop {
    fn drop(&mut self) {
        // Files that cannot be removed do no harm.
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn target() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("new-plugin")
}

fn cargo_output(folder: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO"));
    command.args(words).current_dir(folder).env("CARGO_TARGET_DIR", target());
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

fn mean(ran: &Ran) -> f64 {
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let result = ran.json();
    assert_eq!(result["faults"], 0, "{result}");
    result["score"]["mean"].as_f64().unwrap()
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

// One test, because cargo locks the target folder.
#[test]
fn new_game_value_and_agent_build_pass_their_tests_load_and_play() {
    let workshop = Workshop::open();
    // A name that is not an identifier, one that is used in the crate, and a plain one.
    let (game, value, agent) = ("2048x", "plugin", "far-seeing");
    let libraries = [("game", game), ("value", value), ("agent", agent)].map(|(kind, name)| {
        let library = workshop.make(kind, name);
        let listed =
            workshop.runner(&["plugins", "list", "--json", "--plugin-path", text(&library)]);
        let listed = listed.json();
        let row = listed.as_array().unwrap().iter().find(|row| row["name"] == name);
        let row = row.unwrap_or_else(|| panic!("`{name}` is not in {listed}"));
        assert_eq!(row["kind"], kind);
        assert_eq!(row["status"], "ok");
        assert_eq!(row["file"], text(&library));
        library
    });
    let with = |words: &[&str]| {
        let paths = libraries.iter().flat_map(|library| ["--plugin-path", text(library)]);
        workshop.runner(&words.iter().copied().chain(paths).collect::<Vec<_>>())
    };

    // A variant of 2048 with all changes that the template offers: trained, and searched with its
    // model.
    let library = workshop.make("sliding", "drift");
    let folder = workshop.0.join("drift");
    let source = fs::read_to_string(folder.join("src/lib.rs")).unwrap();
    fs::write(folder.join("src/lib.rs"), with_other_forms(&source)).unwrap();
    cargo(&folder, &["test", "--test", "game", "laws"]);
    cargo(&folder, &["build"]);
    let with_drift =
        |words: &[&str]| workshop.runner(&[words, &["--plugin-path", text(&library)]].concat());
    let drift = ["--game", "drift", "--seed", "1", "--threads", "1"];
    let train = ["train", "--agent", "tc-ntuple", "--moves", "200k", "--model", "drift.model"];
    with_drift(&[&train[..], &drift].concat()).success();
    let random =
        mean(&with_drift(&[&["eval", "--agent", "random", "--json"], &drift[..]].concat()));
    let search = "expectimax(depth: 1, value: tc-ntuple(model: \"drift.model\"))";
    let trained = ["eval", "--agent", search, "--games", "20", "--json"];
    let trained = mean(&with_drift(&trained));
    assert!(trained > 1.5 * random, "{trained} after learning, {random} by chance");
    let shown = with_drift(&["think", "--agent", "drift.model", "--json"]).success().json();
    let state = shown["state"].as_str().unwrap();
    assert_eq!((state.matches('/').count(), state.matches('#').count()), (4, 2), "{state}");

    let small = "2048(rows: 2, cols: 2)";
    for (game, agent) in [(game, "random"), (game, agent), (small, agent)] {
        mean(&with(&["eval", "--game", game, "--agent", agent, "--games", "20", "--json"]));
    }
    let refused = with(&["eval", "--game", "2048x(faces: 3)", "--agent", "random"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.err.contains("faces") && refused.err.contains("4 to 15"), "{}", refused.err);

    // The learner trains, saves its model, and loads it in the next run.
    for game in [small, game] {
        let random = mean(&with(&["eval", "--game", game, "--agent", "random", "--json"]));
        let play = ["--game", game, "--agent", value, "--for", "1s", "--json"];
        let first = with(&play);
        assert!(first.err.contains("trained for"), "{}", first.err);
        // Always taking the highest reward scores less than 1.5 times random play on the
        // small board; training for a hundredth of the time scores more.
        assert!(mean(&first) > 1.5 * random, "{} after learning, {random} by chance", mean(&first));
        let second = with(&play);
        assert_eq!(second.err, first.err, "the model is not trained again");
        assert_eq!(mean(&second), mean(&first), "the same model plays the same games");
    }

    // A truncated model is rejected by name.
    let models = workshop.0.join("data/runner/models");
    for entry in fs::read_dir(&models).unwrap() {
        let model = entry.unwrap().path();
        let bytes = fs::read(&model).unwrap();
        fs::write(&model, &bytes[..bytes.len() - 4]).unwrap();
    }
    let damaged = with(&["--game", small, "--agent", value]);
    assert_eq!(damaged.code, Some(1));
    let error = damaged.error();
    assert!(error.contains(text(&models)) && error.contains("truncated"), "{error}");
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
