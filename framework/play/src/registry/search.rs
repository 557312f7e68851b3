//! The places where plugin libraries are searched.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::path::{Path, PathBuf};

/// The beginning of the file names of libraries that are loaded from a folder.
const STEM: &str = "runner_plugin_";

/// The places where plugins are searched, in order.
#[derive(Clone, Debug, Default)]
pub struct SearchPath {
    /// Files and folders that the user named: each must exist.
    pub explicit: Vec<PathBuf>,
    /// The folder into which cargo builds the libraries of linked crates. Only these are loaded
    /// from it: it may still have the libraries of crates that were removed.
    pub build: Option<PathBuf>,
    /// Default folders, which need not exist.
    pub usual: Vec<PathBuf>,
}

impl SearchPath {
    /// Creates the search path: the paths of the command line, those of the variable
    /// `RUNNER_PLUGINS`, then the folder `deps` beside the executable, the executable's own
    /// folder, and `data`, the folder of the user's own files.
    ///
    /// `deps` comes before the executable's folder, where an older copy may lie.
    pub fn new(given: Vec<PathBuf>, data: Option<PathBuf>) -> Self {
        let mut explicit = given;
        if let Some(paths) = std::env::var_os("RUNNER_PLUGINS") {
            explicit.extend(std::env::split_paths(&paths).filter(|p| !p.as_os_str().is_empty()));
        }
        let executable = std::env::current_exe().ok();
        let folder = executable.as_deref().and_then(Path::parent).map(Path::to_owned);
        let build = folder.as_deref().map(|folder| folder.join("deps"));
        let data = data.map(|folder| folder.join("plugins"));
        Self { explicit, build, usual: folder.into_iter().chain(data).collect() }
    }
}

/// Returns the file name of the library of a plugin crate.
pub fn library_name(crate_name: &str) -> String {
    format!("{DLL_PREFIX}{}{DLL_SUFFIX}", crate_name.replace('-', "_"))
}

/// Returns true if a file of this name in a folder is a plugin library.
pub fn is_plugin_name(name: &str) -> bool {
    name.strip_prefix(DLL_PREFIX).is_some_and(|n| n.starts_with(STEM)) && name.ends_with(DLL_SUFFIX)
}
