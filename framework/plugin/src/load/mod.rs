//! Loads a library: examines the file before any of its code runs, loads it, compares the
//! layouts, and says in one line what is wrong.

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
        "is built against version {found} of the plugin ABI, this runner has version {ABI_MAJOR}; \
         build it against this runner's framework"
    )]
    OtherAbi {
        /// The major version that it was built against.
        found: u32,
    },
    /// It was built against types with another layout.
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
    check_note(&symbols.note).map_err(error)?;
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

/// Checks by its note whether a library may be loaded. The version comes first, because
/// everything else may differ as a consequence.
fn check_note(note: &Note) -> Result<(), Cause> {
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

/// Returns the message of the system's loader, which `libloading` keeps as the source of
/// its own error.
fn refused(error: &libloading::Error) -> Cause {
    match std::error::Error::source(error) {
        Some(said) => Cause::Refused(one_line(said)),
        None => Cause::Refused(one_line(error)),
    }
}

/// Returns an error of abi_stable, which may have a thousand lines, in one line.
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

/// Returns a message on one line and without control characters, which a terminal would
/// follow.
pub(crate) fn one_line(message: &(impl ToString + ?Sized)) -> String {
    let message = message.to_string().replace(|c: char| c.is_control(), " ");
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abi::ABI_MINOR;
    use runner_core::impl_layout;
    use runner_core::layout::{Layout, combine};

    /// A list as long as the one of `runner-core`, with two fields swapped.
    #[repr(C)]
    struct Outcomes {
        items: *mut u64,
        capacity: usize,
        len: usize,
        free: unsafe extern "C" fn(*mut u64, usize),
    }
    impl_layout!(Outcomes {
        items: *mut u64,
        capacity: usize,
        len: usize,
        free: unsafe extern "C" fn(*mut u64, usize),
    });

    #[test]
    fn a_stale_layout_of_equal_size_is_refused() {
        assert_eq!(size_of::<Outcomes>(), size_of::<runner_core::Outcomes>());
        assert_ne!(Outcomes::LAYOUT, runner_core::Outcomes::LAYOUT);
        let mut stale = Note::new(0);
        stale.core_layout = combine(CORE_LAYOUT, Outcomes::LAYOUT);
        assert!(matches!(check_note(&stale), Err(Cause::OtherLayout(_))));
        assert!(check_note(&Note::new(0)).is_ok());
    }

    #[test]
    fn other_major_versions_are_refused_and_other_minor_versions_are_not() {
        for abi_major in [ABI_MAJOR - 1, ABI_MAJOR + 1] {
            let mut other = Note::new(0);
            other.abi_major = abi_major;
            let refused = check_note(&other);
            assert!(matches!(refused, Err(Cause::OtherAbi { found }) if found == abi_major));
        }
        let mut newer = Note::new(0);
        newer.abi_minor = ABI_MINOR + 1;
        assert!(check_note(&newer).is_ok());
    }
}
