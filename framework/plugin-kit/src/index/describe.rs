//! Makes the entry of a library or a crate.

use super::build::build;
use super::checksum;
use super::entry::{Entry, Source, this_target};
use super::failure;
use crate::new::check_name;
use runner_files::FileError;
use runner_play::failure::Failure;
use runner_plugin::abi::ABI_VERSION;
use runner_plugin::{Registry, check_library, library_name};
use std::path::Path;

/// Returns the entry of a library file, which is loaded, or of the folder of a crate, which is built.
pub fn describe(path: &Path) -> Result<Entry, Failure> {
    if !path.is_dir() {
        // Before it is read: a pipe may have no writer, and a device no end.
        check_library(path).map_err(failure)?;
        let source = Source::Library { path: path.to_owned(), target: this_target() };
        return of_library(path, source, checksum::of_bytes(&runner_files::read(path)?));
    }
    let target = tempfile::tempdir().map_err(FileError::at("create", &std::env::temp_dir()))?;
    let library = build(path, target.path())?;
    let source = Source::Crate { path: path.to_owned() };
    // The library is in a temporary folder, which the user does not know.
    let (built, shown) = (library.display().to_string(), path.display().to_string());
    of_library(&library, source, checksum::of_folder(path)?)
        .map_err(|error| error.map_message(|message| message.replace(&built, &shown)))
}

fn of_library(library: &Path, source: Source, sha256: String) -> Result<Entry, Failure> {
    let mut registry = Registry::new();
    registry.load_file(library);
    if let Some(problem) = registry.problems().first() {
        return Err(failure(problem.clone()));
    }
    let plugins = registry.plugins();
    let name = name(library);
    check_name(&name).map_err(|error| Failure::in_file(library, error))?;
    let version = plugins.first().map(|plugin| plugin.version.clone());
    let abouts: Vec<_> = plugins.iter().map(|plugin| plugin.about.as_str()).collect();
    Ok(Entry {
        name,
        version: version.ok_or_else(|| Failure::in_file(library, "exports no plugin"))?,
        plugins: plugins.iter().map(|plugin| format!("{} {}", plugin.kind, plugin.name)).collect(),
        about: abouts.join("; "),
        abi: ABI_VERSION,
        source,
        sha256,
    })
}

/// Returns the name in the file name of a library: that of its crate without `runner-plugin-`.
fn name(library: &Path) -> String {
    let file = library.file_name().unwrap_or_default().to_string_lossy();
    let affixes = library_name("/");
    let (prefix, suffix) = affixes.split_once('/').unwrap_or_default();
    let name = file.strip_suffix(suffix).unwrap_or(&file);
    let name = name.strip_prefix(prefix).unwrap_or(name);
    name.strip_prefix("runner_plugin_").unwrap_or(name).replace('_', "-")
}
