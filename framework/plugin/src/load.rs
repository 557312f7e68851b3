//! Loads a library: examines the file before any of its code runs, loads it, compares the
//! layouts, and says in one line what is wrong.

mod examine;

use crate::abi::cross::ask;
use crate::abi::data::Slice;
use crate::abi::{ABI_VERSION, Contents, LAYOUT, RootRef};
use crate::info::{Origin, PluginInfo, PluginKind};
use crate::note::Note;
use abi_stable::library::AbiHeaderRef;
use libloading::Library;
use runner_core::Fault;
use runner_spec::one_line;
use std::io;
use std::path::{Path, PathBuf};

/// A library, or a plugin in it, that is not used.
#[derive(Clone, Debug)]
pub struct Problem {
    pub file: PathBuf,
    /// The plugin, unless the problem is the whole library.
    pub plugin: Option<(PluginKind, String)>,
    /// Description of the problem and of its remedy, in one line that names the file.
    pub message: String,
    /// The full report, if it is longer than one line.
    pub detail: Option<String>,
}

impl Problem {
    pub fn new(file: &Path, message: &str) -> Self {
        Self { file: file.to_owned(), plugin: None, message: one_line(message), detail: None }
    }
}

const OTHER_LAYOUT: &str = "is built against another layout of the plugin ABI; rebuild it against \
                            this runner's framework";

fn other_version(version: u32) -> String {
    format!(
        "is built against version {version} of the plugin ABI, this runner has version \
         {ABI_VERSION}; rebuild it against this runner's framework"
    )
}

fn unreadable(error: io::Error) -> String {
    format!("cannot be read: {error}; check the path")
}

fn failed(message: &str) -> String {
    format!("failed while it was loaded: {message}; fix it or remove it")
}

/// Loads a library and returns its plugins. Libraries are never unloaded.
pub fn load(file: &Path) -> Result<Vec<PluginInfo>, Problem> {
    let shown = file.display().to_string();
    let error = |why: String| Problem::new(file, &format!("{shown}: {why}"));
    let symbols = examine::examine(file).map_err(error)?;
    check_note(&symbols.note).map_err(|(why, detail)| Problem { detail, ..error(why) })?;
    // The system would search for a bare name; it takes an absolute path as it is.
    let path = std::path::absolute(file).map_err(|e| error(unreadable(e)))?;
    // SAFETY: the file was examined: it is a whole library for this machine that
    // was exported by our macro, whose initialisers are those of Rust's std.
    let library = unsafe { Library::new(&path) }.map_err(|e| error(refused(&e)))?;
    // Its functions and statics stay in use as long as the program runs.
    let library: &'static Library = Box::leak(Box::new(library));
    // SAFETY: the macro exports a `LibHeader` under this name, whose first field
    // is the header that this reference points to; its magic is checked next.
    let header = unsafe { library.get::<AbiHeaderRef>(symbols.root.as_bytes()) }
        .map_err(|e| error(refused(&e)))?;
    let root: RootRef =
        (header.upgrade()).and_then(|header| header.init_root_module::<RootRef>()).map_err(
            |e| Problem { detail: Some(e.to_string()), ..error(failed(&one_line(&e.to_string()))) },
        )?;
    plugins(root, &Origin::File(file.to_owned())).map_err(error)
}

/// Returns the plugins of a crate that is linked into the program.
pub fn linked(root: RootRef) -> Result<Vec<PluginInfo>, Problem> {
    plugins(root, &Origin::Linked).map_err(|why| {
        let package = package(root);
        Problem::new(package.as_ref(), &format!("{package} (built in): {why}"))
    })
}

fn package(root: RootRef) -> String {
    // SAFETY: the name is a constant of the library, which is never unloaded.
    String::from_utf8_lossy(unsafe { root.library().package.get() }).into_owned()
}

/// Returns the plugins of a library, after telling it the file that it was loaded from: an empty name
/// for a library that is linked into the program.
fn plugins(root: RootRef, origin: &Origin) -> Result<Vec<PluginInfo>, String> {
    let library = root.library();
    let file = match origin {
        Origin::Linked => String::new(),
        Origin::File(file) => file.display().to_string(),
    };
    // SAFETY: the layout was checked, or it is of this program's own build; the file's name is valid
    // for the call, and the contents are written unless that fails.
    let contents: Result<Contents, Fault> = unsafe {
        (library.loaded_from)(Slice::text(&file));
        ask(|out| (library.contents)(out))
    };
    // The fault names the file, and so does the error.
    let contents =
        contents.map_err(|fault| failed(&one_line(&fault.0).replace(&format!(" ({file})"), "")))?;
    contents.iter().map(|entry| PluginInfo::new(entry, &package(root), origin)).collect()
}

/// Checks by its note whether a library may be loaded; returns the reason with its details. The
/// version comes first, because everything else may differ as a consequence.
fn check_note(note: &Note) -> Result<(), (String, Option<String>)> {
    if note.version != ABI_VERSION {
        return Err((other_version(note.version), None));
    }
    if note.layout != LAYOUT {
        let hashes = format!(
            "the layout hash of the library is {:016x}, that of this runner is {LAYOUT:016x}",
            note.layout
        );
        return Err((OTHER_LAYOUT.into(), Some(hashes)));
    }
    match note.missing_features() {
        missing if missing.is_empty() => Ok(()),
        missing => {
            let list = missing.join(", ");
            let why = "is built for a processor with";
            Err((format!("{why} {list}, which this one lacks; build it on this machine"), None))
        }
    }
}

/// Returns the message of the system's loader, which `libloading` keeps as the source of
/// its own error.
fn refused(error: &libloading::Error) -> String {
    let said = std::error::Error::source(error).map_or(error.to_string(), ToString::to_string);
    format!("cannot be loaded: {said}; build it on this machine")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_version_is_refused_before_the_layout_is_compared() {
        for version in [ABI_VERSION - 1, ABI_VERSION + 1] {
            let mut other = Note::OF_THIS_BUILD;
            (other.version, other.layout) = (version, LAYOUT + 1);
            assert_eq!(check_note(&other), Err((other_version(version), None)));
        }
    }
}
