//! Loads a library: examines the file before any of its code runs, loads it, compares the
//! layouts, and says in one line what is wrong.

mod examine;
mod search;

pub(crate) use search::is_plugin_name;
pub use search::{SearchPath, data_folder, library_name};

use crate::abi::data::Slice;
use crate::abi::{ABI_VERSION, Contents, LAYOUT, RootRef};
use crate::note::Note;
use abi_stable::library::{AbiHeaderRef, LibraryError};
use libloading::Library;
use runner_core::Fault;
use std::io;
use std::mem::MaybeUninit;
use std::path::{Path, PathBuf};

/// The reason why a library is not used.
#[derive(Debug, thiserror::Error)]
#[error("{}: {cause}", file.display())]
pub struct LoadError {
    /// The file.
    pub file: PathBuf,
    /// The reason why it cannot be loaded.
    pub cause: Cause,
    /// The full report, if it is longer than one line.
    pub detail: Option<String>,
}

/// The reason why a library cannot be loaded.
#[derive(Debug, thiserror::Error)]
pub enum Cause {
    /// The file cannot be read.
    #[error("cannot be read: {0}; check the path")]
    Unreadable(#[from] io::Error),
    /// The file is not a shared library.
    #[error("is not a shared library ({0}); a plugin is built with `cargo build --release`")]
    NotALibrary(String),
    /// The file is truncated.
    #[error("is truncated: {0}; copy or build it again")]
    Truncated(String),
    /// It was built for another architecture.
    #[error("is built for {0}, this machine is {here}; build it here", here = std::env::consts::ARCH)]
    OtherMachine(String),
    /// It does not export a plugin's root and note.
    #[error(
        "is a shared library but no runner plugin: it has no `export_plugin!` \
         (see `runner plugins new`)"
    )]
    NoRoot,
    /// Its note is damaged.
    #[error("has a plugin note that cannot be read; build it again")]
    BadNote,
    /// It was built against another version of the ABI.
    #[error(
        "is built against version {0} of the plugin ABI, this runner has version {ABI_VERSION}; \
         rebuild it against this runner's framework"
    )]
    OtherAbi(u32),
    /// It was built against types with another layout.
    #[error(
        "is built against another layout of the plugin ABI; \
         rebuild it against this runner's framework"
    )]
    OtherLayout,
    /// It uses instructions that this processor lacks.
    #[error(
        "is built for a processor with {list}, which this one lacks; build it on this machine",
        list = .0.join(", ")
    )]
    OtherProcessor(Vec<&'static str>),
    /// The system's loader refuses it.
    #[error("cannot be loaded: {0}; build it on this machine")]
    Refused(String),
    /// Its own code failed while it was loaded.
    #[error("failed while it was loaded: {0}; fix it or remove it")]
    Failed(String),
}

/// A library that was loaded.
pub(crate) struct Loaded {
    /// The name of its crate.
    pub package: String,
    /// Its plugins.
    pub contents: Contents,
}

/// Loads a library and returns its contents. Libraries are never unloaded.
pub(crate) fn load(file: &Path) -> Result<Loaded, LoadError> {
    let error = |cause| LoadError { file: file.to_owned(), cause, detail: None };
    let symbols = examine::examine(file).map_err(error)?;
    check_note(&symbols.note).map_err(|(cause, detail)| LoadError { detail, ..error(cause) })?;
    // The system would search for a bare name; it takes an absolute path as it is.
    let path = std::path::absolute(file).map_err(|e| error(e.into()))?;
    // SAFETY: the file was examined: it is a whole library for this machine that
    // was exported by our macro, whose initialisers are those of Rust's std.
    let library = unsafe { Library::new(&path) }.map_err(|e| error(refused(&e)))?;
    // Its functions and statics stay in use as long as the program runs.
    let library: &'static Library = Box::leak(Box::new(library));
    // SAFETY: the macro exports a `LibHeader` under this name, whose first field
    // is the header that this reference points to; its magic is checked next.
    let header = unsafe { library.get::<AbiHeaderRef>(symbols.root.as_bytes()) }
        .map_err(|e| error(refused(&e)))?;
    let root: RootRef = (header.upgrade())
        .and_then(|header| header.init_root_module::<RootRef>())
        .map_err(|e| LoadError { detail: Some(e.to_string()), ..error(diagnose(&e)) })?;
    let shown = file.display().to_string();
    match contents(root, &shown) {
        Ok(contents) => Ok(Loaded { package: package(root), contents }),
        // The fault names the file, and so does the error.
        Err(fault) => {
            let fault = one_line(&fault.0).replace(&format!(" ({shown})"), "");
            Err(error(Cause::Failed(fault)))
        }
    }
}

/// Returns the name of the crate that exports a library.
pub(crate) fn package(root: RootRef) -> String {
    // SAFETY: the name is a constant of the library, which is never unloaded.
    String::from_utf8_lossy(unsafe { root.library().package.get() }).into_owned()
}

/// Returns what a library exports, after telling it the file that it was loaded from: an
/// empty name for a library that is linked into the program.
pub(crate) fn contents(root: RootRef, file: &str) -> Result<Contents, Fault> {
    let library = root.library();
    let mut contents = MaybeUninit::uninit();
    // SAFETY: the layout was checked, or it is of this program's own build; both arguments are
    // valid for the calls.
    let call = unsafe {
        (library.loaded_from)(Slice::text(file));
        (library.contents)(contents.as_mut_ptr())
    };
    // SAFETY: a call that succeeded has written its result.
    call.into_result().map(|()| unsafe { contents.assume_init() })
}

/// Checks by its note whether a library may be loaded; returns the cause with its details. The
/// version comes first, because everything else may differ as a consequence.
fn check_note(note: &Note) -> Result<(), (Cause, Option<String>)> {
    if note.version != ABI_VERSION {
        return Err((Cause::OtherAbi(note.version), None));
    }
    if note.layout != LAYOUT {
        let hashes = format!(
            "the layout hash of the library is {:016x}, that of this runner is {LAYOUT:016x}",
            note.layout
        );
        return Err((Cause::OtherLayout, Some(hashes)));
    }
    match note.missing_features() {
        missing if missing.is_empty() => Ok(()),
        missing => Err((Cause::OtherProcessor(missing), None)),
    }
}

/// Returns the message of the system's loader, which `libloading` keeps as the source of
/// its own error.
fn refused(error: &libloading::Error) -> Cause {
    match std::error::Error::source(error) {
        Some(said) => Cause::Refused(one_line(said)),
        None => Cause::Refused(one_line(error)),
    }
}

/// Returns the cause of an error of abi_stable. Its text, which may have a thousand lines, is
/// the detail.
fn diagnose(error: &LibraryError) -> Cause {
    match error {
        LibraryError::InvalidAbiHeader(_) | LibraryError::AbiInstability(_) => Cause::OtherLayout,
        LibraryError::IncompatibleVersionNumber { actual_version, .. } => {
            Cause::OtherAbi(actual_version.major)
        }
        other => Cause::Failed(one_line(other)),
    }
}

/// Returns a message on one line and without control characters, which a terminal would
/// follow.
pub(crate) fn one_line(message: &(impl ToString + ?Sized)) -> String {
    let message = message.to_string().replace(|c: char| c.is_control(), " ");
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_layout_is_refused_with_both_hashes_as_its_detail() {
        let mut other = Note::new(0);
        other.layout = LAYOUT + 1;
        let Err((Cause::OtherLayout, Some(detail))) = check_note(&other) else {
            panic!("it is not refused")
        };
        assert!(detail.contains(&format!("{LAYOUT:016x}")), "{detail}");
        assert!(check_note(&Note::new(0)).is_ok());
    }

    #[test]
    fn another_version_is_refused_before_the_layout_is_compared() {
        for version in [ABI_VERSION - 1, ABI_VERSION + 1] {
            let mut other = Note::new(0);
            (other.version, other.layout) = (version, LAYOUT + 1);
            let refused = check_note(&other);
            assert!(matches!(refused, Err((Cause::OtherAbi(found), None)) if found == version));
        }
    }
}
