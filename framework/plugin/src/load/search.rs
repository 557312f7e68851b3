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
    /// Default folders, which need not exist.
    pub usual: Vec<PathBuf>,
}

impl SearchPath {
    /// Creates the search path: the paths of the command line, those of the variable
    /// `RUNNER_PLUGINS`, then the folder `deps` beside the executable, the executable's own
    /// folder, and the user's data folder.
    ///
    /// `deps` comes before the executable's folder because cargo builds libraries of
    /// dependencies there; an older copy may lie beside the executable.
    pub fn new(given: Vec<PathBuf>) -> Self {
        let mut explicit = given;
        if let Some(paths) = std::env::var_os("RUNNER_PLUGINS") {
            explicit.extend(std::env::split_paths(&paths).filter(|p| !p.as_os_str().is_empty()));
        }
        let mut usual = Vec::new();
        if let Some(folder) = std::env::current_exe().ok().as_deref().and_then(Path::parent) {
            usual.push(folder.join("deps"));
            usual.push(folder.to_owned());
        }
        usual.extend(data_folder().map(|folder| folder.join("plugins")));
        Self { explicit, usual }
    }
}

/// Returns the folder of the user's own plugins and models.
pub fn data_folder() -> Option<PathBuf> {
    let var = |name| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    let base = if cfg!(windows) {
        var("LOCALAPPDATA")
    } else {
        var("XDG_DATA_HOME").or_else(|| var("HOME").map(|home| home.join(".local/share")))
    };
    base.map(|base| base.join("runner"))
}

/// Returns the file name of the library of a plugin crate.
pub fn library_name(crate_name: &str) -> String {
    format!("{DLL_PREFIX}{}{DLL_SUFFIX}", crate_name.replace('-', "_"))
}

/// Returns true if a file of this name in a folder is a plugin library.
pub(crate) fn is_plugin_name(name: &str) -> bool {
    name.strip_prefix(DLL_PREFIX).is_some_and(|n| n.starts_with(STEM)) && name.ends_with(DLL_SUFFIX)
}
