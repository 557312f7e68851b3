//! Where plugin libraries are looked for.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::path::{Path, PathBuf};

/// Libraries in folders are known by their names: this, then anything.
const STEM: &str = "runner_plugin_";

/// The places where plugins are looked for, in order.
#[derive(Clone, Debug, Default)]
pub struct SearchPath {
    /// Files and folders that were asked for: each must exist.
    pub explicit: Vec<PathBuf>,
    /// Folders that may exist: the usual places.
    pub usual: Vec<PathBuf>,
}

impl SearchPath {
    /// What was given on the command line, then what the variable
    /// `RUNNER_PLUGINS` names, then the usual places: the folder `deps` beside
    /// the executable, the executable's own, and the user's data folder.
    ///
    /// `deps` comes first because that is where cargo builds a dependency's
    /// library; an older one may lie beside the executable.
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

/// The folder in which the user's own plugins and models are kept.
pub fn data_folder() -> Option<PathBuf> {
    let var = |name| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    let base = if cfg!(windows) {
        var("LOCALAPPDATA")
    } else {
        var("XDG_DATA_HOME").or_else(|| var("HOME").map(|home| home.join(".local/share")))
    };
    base.map(|base| base.join("runner"))
}

/// The file name of the library of a plugin crate with this name.
pub fn library_name(crate_name: &str) -> String {
    format!("{DLL_PREFIX}{}{DLL_SUFFIX}", crate_name.replace('-', "_"))
}

/// Whether a file in a folder is to be loaded, by its name.
pub(crate) fn is_plugin_name(name: &str) -> bool {
    name.strip_prefix(DLL_PREFIX).is_some_and(|n| n.starts_with(STEM)) && name.ends_with(DLL_SUFFIX)
}
