//! A folder in which the program is run.

use super::{Ran, command, library, ran, text};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// A folder of its own, in which the program is run.
pub struct Place {
    folder: TempDir,
    /// A library that it loads besides what it finds.
    library: Option<PathBuf>,
}

impl Place {
    /// An empty one.
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a temporary folder"), library: None }
    }

    /// An empty one, where the program loads the library of this crate too.
    pub fn with_library(crate_name: &str) -> Self {
        Self { library: Some(library(crate_name)), ..Self::new() }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// A file in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder().join(name)
    }

    /// What is in a file.
    #[track_caller]
    pub fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// The files that are here.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder()).expect("the folder is there");
        let names = entries.map(|entry| entry.expect("it can be read").file_name());
        let mut names: Vec<_> =
            names.map(|name| name.into_string().expect("names are plain")).collect();
        names.sort();
        names
    }

    /// The program, here.
    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = command(words);
        if let Some(library) = &self.library {
            command.args(["--plugin-path", text(library)]);
        }
        command.current_dir(self.folder());
        command
    }

    /// Runs it.
    #[track_caller]
    pub fn run(&self, words: &[&str]) -> Ran {
        ran(&mut self.command(words))
    }
}
