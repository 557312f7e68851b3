//! A temporary folder in which the program runs.

use super::{Ran, command, library, ran, text};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// A temporary folder in which the program runs.
pub struct Place {
    folder: TempDir,
    /// A folder with links to plugin libraries, if there are some: outputs do not depend on the
    /// length of the path of the build.
    links: Option<TempDir>,
    /// Additional plugin libraries.
    libraries: Vec<PathBuf>,
}

fn temporary_folder() -> TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

impl Place {
    /// Returns an empty folder.
    pub fn new() -> Self {
        Self { folder: temporary_folder(), links: None, libraries: vec![] }
    }

    /// Returns an empty folder in which the program also loads the library of this crate.
    pub fn with_library(crate_name: &str) -> Self {
        Self { libraries: vec![library(crate_name)], ..Self::new() }
    }

    /// Loads the library of this crate too from now on, by its link.
    pub fn with_link_to_library(&mut self, crate_name: &str) {
        let library = library(crate_name);
        let links = self.links.get_or_insert_with(temporary_folder);
        let link = links.path().join(library.file_name().expect("it is a file"));
        #[cfg(unix)]
        std::os::unix::fs::symlink(library, &link).expect("each is loaded once");
        #[cfg(not(unix))]
        fs::copy(library, &link).expect("each is loaded once");
        self.libraries.push(link);
    }

    /// Runs the program without additional libraries from now on.
    pub fn without_libraries(&mut self) {
        self.libraries.clear();
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the folder with links to plugin libraries.
    pub fn links(&self) -> Option<&Path> {
        self.links.as_ref().map(TempDir::path)
    }

    /// Returns the path of a file in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder().join(name)
    }

    /// Returns the contents of a file.
    #[track_caller]
    pub fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Returns the names of all files, sorted.
    pub fn names(&self) -> Vec<String> {
        self.names_in(".")
    }

    /// Returns the names of all files in a folder, sorted.
    pub fn names_in(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(folder)).expect("the folder is there");
        let names = entries.map(|entry| entry.expect("it can be read").file_name());
        let mut names: Vec<_> =
            names.map(|name| name.into_string().expect("names are plain")).collect();
        names.sort();
        names
    }

    /// Returns a command that starts the program in the folder, with the data folder `data`.
    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = command(words);
        for library in &self.libraries {
            command.args(["--plugin-path", text(library)]);
        }
        command.current_dir(self.folder()).env("XDG_DATA_HOME", self.path("data"));
        command
    }

    /// Runs the program in the folder.
    #[track_caller]
    pub fn run(&self, words: &[&str]) -> Ran {
        ran(&mut self.command(words))
    }
}
