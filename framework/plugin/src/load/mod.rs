//! From a file to a plugin's root: examined before any of its code runs, loaded,
//! checked, and diagnosed in one line where something is wrong.

mod examine;
mod layout;
mod search;

pub(crate) use search::is_plugin_name;
pub use search::{SearchPath, data_folder, library_name};

use crate::abi::{ABI_MAJOR, CORE_LAYOUT, Contents, RootRef};
use crate::note::Note;
use abi_stable::library::{AbiHeaderRef, LibraryError};
use abi_stable::std_types::RStr;
use libloading::Library;
use runner_core::Fault;
use std::io;
use std::path::{Path, PathBuf};

/// Why a library is not used.
#[derive(Debug, thiserror::Error)]
#[error("{}: {cause}", file.display())]
pub struct LoadError {
    /// The file.
    pub file: PathBuf,
    /// What is wrong with it.
    pub cause: Cause,
    /// All that is known, where the one line of the message is not all.
    pub detail: Option<String>,
}

/// What is wrong with a library.
#[derive(Debug, thiserror::Error)]
pub enum Cause {
    /// It cannot be read.
    #[error("cannot be read: {0}; check the path")]
    Unreadable(#[from] io::Error),
    /// It is no library at all.
    #[error("is no shared library ({0}); a plugin is built with `cargo build --release`")]
    NotALibrary(String),
    /// It is part of one.
    #[error("is cut off: {0}; copy or build it again")]
    Truncated(String),
    /// It was built for another kind of machine.
    #[error("is built for {0}, this machine is {here}; build it here", here = std::env::consts::ARCH)]
    OtherMachine(String),
    /// It exports nothing that says "plugin".
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
        "is built against version {found} of the plugin ABI, this runner has version {ABI_MAJOR}; \
         build it against this runner's framework"
    )]
    OtherAbi {
        /// The major version that it was built against.
        found: u32,
    },
    /// It was built against other types.
    #[error(
        "is built against a different layout of the plugin ABI ({0}); \
         build it against this runner's framework"
    )]
    OtherLayout(String),
    /// It uses instructions that this processor lacks.
    #[error(
        "is built for a processor with {list}, which this one lacks; build it on this machine",
        list = .0.join(", ")
    )]
    OtherProcessor(Vec<&'static str>),
    /// The system's loader refused it.
    #[error("cannot be loaded: {0}; build it on this machine")]
    Refused(String),
    /// Its own code failed while it was loaded.
    #[error("failed while it was loaded: {0}; mend it or remove it")]
    Failed(String),
}

/// A library that was loaded.
pub(crate) struct Loaded {
    /// The name of its crate.
    pub package: String,
    /// What is in it.
    pub contents: Contents,
}

/// Loads a library and lists what is in it. It stays loaded for good.
pub(crate) fn load(file: &Path) -> Result<Loaded, LoadError> {
    let error = |cause| LoadError { file: file.to_owned(), cause, detail: None };
    let symbols = examine::examine(file).map_err(error)?;
    judge(&symbols.note).map_err(error)?;
    // The system looks a bare name up elsewhere; an absolute path it takes as it is.
    let path = std::path::absolute(file).map_err(|e| error(e.into()))?;
    // SAFETY: the file was examined: it is a whole library for this machine that
    // was exported by our macro, whose initialisers are those of Rust's std.
    let library = unsafe { Library::new(&path) }.map_err(|e| error(refused(&e)))?;
    // Libraries are never unloaded: their functions and statics stay in use.
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
        Ok(contents) => Ok(Loaded { package: root.package().into(), contents }),
        // The fault names the file, and so does the error.
        Err(fault) => {
            let fault = one_line(&fault.0).replace(&format!(" ({shown})"), "");
            Err(error(Cause::Failed(fault)))
        }
    }
}

/// Returns what a library exports, after telling it the file that it was loaded from: an
/// empty name for a library that is linked into the program.
pub(crate) fn contents(root: RootRef, file: &str) -> Result<Contents, Fault> {
    let mut contents = Contents::default();
    // SAFETY: the layout of the root was checked, or it is of this program's own build.
    let call = unsafe {
        root.loaded_from()(RStr::from_str(file));
        root.contents()(&mut contents)
    };
    call.into_result().map(|()| contents)
}

/// Whether a library may be loaded at all, by its note. The version comes first:
/// everything else may differ because of it.
fn judge(note: &Note) -> Result<(), Cause> {
    if note.abi_major != ABI_MAJOR {
        return Err(Cause::OtherAbi { found: note.abi_major });
    }
    if note.core_layout != CORE_LAYOUT {
        return Err(Cause::OtherLayout("the types of runner-core differ".into()));
    }
    match note.missing_features() {
        missing if missing.is_empty() => Ok(()),
        missing => Err(Cause::OtherProcessor(missing)),
    }
}

/// What the system's loader says: the library that names it keeps that a level
/// below its own message.
fn refused(error: &libloading::Error) -> Cause {
    match std::error::Error::source(error) {
        Some(said) => Cause::Refused(one_line(said)),
        None => Cause::Refused(one_line(error)),
    }
}

/// The one line of an error that may have a thousand.
fn diagnose(error: &LibraryError) -> Cause {
    match error {
        LibraryError::InvalidAbiHeader(found) => Cause::OtherLayout(format!(
            "abi_stable {}.{}, another version than this runner's",
            found.abi_major, found.abi_minor
        )),
        LibraryError::AbiInstability(report) => {
            Cause::OtherLayout(layout::first_difference(&report.to_string()))
        }
        LibraryError::IncompatibleVersionNumber { actual_version, .. } => {
            Cause::OtherAbi { found: actual_version.major }
        }
        other => Cause::Failed(one_line(other)),
    }
}

/// A message on one line: those of other people's code may have several, and
/// escapes that a terminal would follow.
pub(crate) fn one_line(message: &(impl ToString + ?Sized)) -> String {
    let message = message.to_string().replace(|c: char| c.is_control(), " ");
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}
