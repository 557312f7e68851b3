//! The places where plugin libraries are searched.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The beginning of the file names of libraries that are loaded from a folder.
const STEM: &str = "runner_plugin_";

/// The places where plugins are searched, in order.
#[derive(Clone, Debug, Default)]
pub struct SearchPath {
    /// Files and folders that the user named: each must exist.
    pub explicit: Vec<PathBuf>,
    /// The folder into which cargo builds the libraries of linked crates. Only those are loaded
    /// from it: libraries of crates that exist no longer stay there after an update.
    pub build: Option<PathBuf>,
    /// Default folders, which need not exist.
    pub usual: Vec<PathBuf>,
}

impl SearchPath {
    /// Creates the search path: the paths of the command line, those of the variable
    /// `RUNNER_PLUGINS`, then the folder `deps` beside the executable, the executable's own
    /// folder, and the user's data folder.
    ///
    /// `deps` comes before the executable's folder, where an older copy may lie.
    pub fn new(given: Vec<PathBuf>) -> Self {
        let mut explicit = given;
        if let Some(paths) = std::env::var_os("RUNNER_PLUGINS") {
            explicit.extend(std::env::split_paths(&paths).filter(|p| !p.as_os_str().is_empty()));
        }
        let executable = std::env::current_exe().ok();
        let folder = executable.as_deref().and_then(Path::parent).map(Path::to_owned);
        let build = folder.as_deref().map(|folder| folder.join("deps"));
        let data = data_folder().map(|folder| folder.join("plugins"));
        Self { explicit, build, usual: folder.into_iter().chain(data).collect() }
    }
}

/// Returns the folder of the user's own plugins and models.
pub fn data_folder() -> Option<PathBuf> {
    data_folder_from(|name| std::env::var_os(name))
}

/// Returns the data folder in an environment. Relative paths are ignored, as the XDG base
/// directory specification requires: they would name another folder in every directory.
fn data_folder_from(environment: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let var = |name| environment(name).map(PathBuf::from).filter(|path| path.is_absolute());
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn data_folder_is_absolute() {
        let folder = |data: Option<&str>, home: Option<&str>| {
            data_folder_from(|name| match name {
                "XDG_DATA_HOME" => data.map(OsString::from),
                "HOME" => home.map(OsString::from),
                _ => None,
            })
        };
        let path = |path: &str| Some(PathBuf::from(path));
        assert_eq!(folder(Some("/data"), Some("/folder")), path("/data/runner"));
        for ignored in [None, Some(""), Some("data"), Some("./data"), Some("~/data")] {
            let found = folder(ignored, Some("/folder"));
            assert_eq!(found, path("/folder/.local/share/runner"), "{ignored:?}");
            assert_eq!(folder(ignored, Some("a")), None, "{ignored:?}");
            assert_eq!(folder(ignored, None), None, "{ignored:?}");
        }
    }
}
