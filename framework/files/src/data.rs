//! The folder of the user's own plugins and models.

use std::ffi::OsString;
use std::path::PathBuf;

/// Returns the folder of the user's own files, if the environment names one.
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
