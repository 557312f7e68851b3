//! Runs every shell command of the documents and some configuration files of the experiments, with
//! their budgets cut by the scripts in `bin`.

mod experiments;
mod markdown;

use crate::harness::place::Place;
use crate::harness::{is_missing, target_of_new_crates};
use markdown::Block;
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A folder as a reader of the documents has it: the files of the repository, the crates
/// that a document gives, and a data folder without models.
struct Reader {
    folder: TempDir,
}

impl Reader {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let place = folder.path().join("runner");
        fs::create_dir(&place).expect("the folder is empty");
        for entry in fs::read_dir(root()).expect("the repository can be listed") {
            let name = entry.expect("the entry can be read").file_name();
            if name != "target" {
                symlink(root().join(&name), place.join(&name)).expect("the name is free");
            }
        }
        Self { folder }
    }

    /// The checkout in which commands run.
    fn checkout(&self) -> PathBuf {
        self.folder.path().join("runner")
    }

    /// Writes a file that a document gives, beside the checkout. The checkout that its paths lead
    /// to is this repository, whose crates are then compiled once for all documents.
    fn write(&self, path: &str, text: &str) {
        let text = text.replace("\"../runner/", &format!("\"{}/", root().display()));
        let path = self.folder.path().join(path);
        fs::create_dir_all(path.parent().expect("it is in the folder")).expect("it can be made");
        fs::write(path, text).expect("it can be written");
    }

    /// Runs lines of shell, and fails with their output if one of them fails.
    #[track_caller]
    fn shell(&self, what: &str, lines: &str) {
        let bin = root().join("tests/program/guide/bin");
        let path = std::env::var("PATH").unwrap_or_default();
        let output = Command::new("bash")
            .args(["-xeuo", "pipefail", "-c", lines])
            .current_dir(self.checkout())
            .env("PATH", format!("{}:{path}", bin.display()))
            .env("GUIDE_ROOT", root())
            .env("GUIDE_RUNNER", env!("CARGO_BIN_EXE_runner"))
            .env("GUIDE_CARGO", env!("CARGO"))
            .env("GUIDE_TARGET", target_of_new_crates())
            .env("XDG_DATA_HOME", self.folder.path().join("data"))
            .env_remove("RUNNER_PLUGINS")
            .env_remove("CARGO_BUILD_TARGET")
            .output()
            .expect("bash starts");
        let (out, err) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{what}: {}\n{out}\n{err}", output.status);
    }
}

/// Runs a document: its files are written, then its commands run in their order.
fn run(document: &str) {
    let text = fs::read_to_string(root().join(document)).expect("the document is there");
    let reader = Reader::new();
    let blocks = markdown::blocks(&text);
    if blocks.iter().any(|block| block.language == "python") && is_missing("python3") {
        return;
    }
    for Block { file, text, .. } in &blocks {
        if let Some(file) = file {
            reader.write(file, text);
        }
    }
    let shell = blocks.iter().filter(|block| block.language == "sh");
    let lines: String = shell.map(|block| block.text.as_str()).collect();
    reader.shell(document, &lines);
}

/// The Markdown files of the repository.
fn markdown_files() -> Vec<PathBuf> {
    let mut found = vec![];
    let mut folders = vec![root().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            if path.is_dir() && !path.is_symlink() && name != "target" && !name.starts_with('.') {
                folders.push(path);
            } else if name.ends_with(".md") {
                found.push(path);
            }
        }
    }
    found
}

/// A `console` block has a command after `$`, and then what it prints, or consecutive lines of
/// that: its results, or its error.
#[test]
fn outputs_of_the_documents_are_those_of_the_program() {
    let mut tested = 0;
    for path in markdown_files() {
        let document = fs::read_to_string(&path).unwrap();
        let place = Place::new();
        for block in markdown::blocks(&document) {
            if block.language != "console" {
                continue;
            }
            let (command, shown) = block.text.split_once('\n').expect("it has an output");
            let words = command.strip_prefix("$ runner ").expect("it begins with a command");
            let output = place.sh(words);
            let printed = if output.code == Some(0) { output.out } else { output.err };
            assert!(printed.contains(shown), "{}: {command}\n{printed}", path.display());
            tested += 1;
        }
    }
    assert!(tested > 0);
}

/// One test for each document with commands.
macro_rules! documents {
    ($($name:ident: $path:literal,)*) => {
        const DOCUMENTS: &[&str] = &[$($path),*];
        $(
            #[test]
            fn $name() {
                run($path);
            }
        )*
    };
}

documents! {
    commands_of_the_readme_run: "README.md",
    commands_of_the_readme_of_experiments_run: "agents/experiments/README.md",
    commands_of_the_readme_of_games_run: "games/README.md",
    commands_of_the_readme_of_framework_run: "framework/README.md",
    commands_of_the_readme_of_plugins_run: "plugins/README.md",
    first_steps_of_watching_run: "framework/guide/src/first-steps/watch.md",
    first_steps_of_playing_run: "framework/guide/src/first-steps/play.md",
    first_steps_of_training_run: "framework/guide/src/first-steps/train.md",
    first_steps_of_comparing_run: "framework/guide/src/first-steps/compare.md",
    first_steps_of_plugins_run: "framework/guide/src/first-steps/plugin.md",
    commands_of_the_browser_run: "framework/guide/src/browser.md",
    commands_of_games_run: "framework/guide/src/games.md",
    commands_of_agents_run: "framework/guide/src/agents.md",
    commands_of_luck_run: "framework/guide/src/luck.md",
    commands_of_sampling_run: "framework/guide/src/sampling.md",
    commands_of_networks_run: "framework/guide/src/networks.md",
    commands_of_training_run: "framework/guide/src/training.md",
    commands_of_clusters_run: "framework/guide/src/clusters.md",
    commands_of_tournaments_run: "framework/guide/src/tournaments.md",
    commands_of_solving_run: "framework/guide/src/solving.md",
    commands_of_the_comparison_of_rules_run: "framework/guide/src/conform.md",
    commands_of_tuning_run: "framework/guide/src/tuning.md",
    commands_of_troubleshooting_run: "framework/guide/src/troubleshooting.md",
    commands_of_configuration_run: "framework/guide/src/reference/configuration.md",
    commands_of_file_formats_run: "framework/guide/src/reference/files.md",
    commands_of_learning_run: "framework/guide/src/results/learning.md",
    commands_of_small_boards_run: "framework/guide/src/results/small-boards.md",
    commands_of_the_plugin_overview_run: "framework/guide/src/plugins/overview.md",
    the_sliding_game_builds_and_plays: "framework/guide/src/plugins/sliding-game.md",
    the_game_builds_and_plays: "framework/guide/src/plugins/game.md",
    the_value_builds_and_plays: "framework/guide/src/plugins/value.md",
    the_agent_builds_and_plays: "framework/guide/src/plugins/agent.md",
    the_learner_builds_and_plays: "framework/guide/src/plugins/learner.md",
    the_program_in_python_plays: "framework/guide/src/plugins/process.md",
}

#[test]
fn every_document_with_commands_has_a_test() {
    let mut found = BTreeSet::new();
    for path in markdown_files() {
        let text = fs::read_to_string(&path).unwrap();
        if markdown::blocks(&text).iter().any(|block| block.language == "sh") {
            found.insert(path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned());
        }
    }
    let tested: BTreeSet<_> = DOCUMENTS.iter().map(|&path| path.to_owned()).collect();
    assert_eq!(found, tested);
}
