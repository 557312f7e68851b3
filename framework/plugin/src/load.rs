//! Loads a library: examines the file before any of its code runs, loads it, compares the
//! layouts, and says in one line what is wrong.

mod examine;

use crate::info::{Origin, PluginInfo, PluginKind};
use crate::library::RootRef;
use crate::note::{ABI_VERSION, Note};
use abi_stable::StableAbi;
use abi_stable::abi_stability::abi_checking::{AbiInstabilityErrors, check_layout_compatibility};
use abi_stable::library::AbiHeaderRef;
use abi_stable::type_layout::TLFieldOrFunction;
use libloading::Library;
use runner_spec::one_line;
use std::fmt::Display;
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

/// The reason why a library is refused, and a full report if that is longer.
type Refusal = (String, Option<String>);

fn other_layout(difference: &str) -> String {
    format!(
        "is built against another layout of the plugin ABI ({difference}); rebuild it against \
         this runner's framework"
    )
}

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
    check_note(&symbols.note).map_err(error)?;
    // The system would search for a bare name; it takes an absolute path as it is.
    let path = std::path::absolute(file).map_err(|e| error(unreadable(e)))?;
    // SAFETY: the file was examined: it is a whole library for this machine that
    // was exported by our macro, whose initialisers are those of Rust's std.
    let loaded = unsafe { Library::new(&path) }.map_err(|e| error(refused(&e)))?;
    // Its functions and statics stay in use as long as the program runs.
    let library: &'static Library = Box::leak(Box::new(loaded));
    // SAFETY: the macro exports a `LibHeader` under this name, whose first field
    // is the header that this reference points to; its magic is checked next.
    let header = unsafe { library.get::<AbiHeaderRef>(symbols.root.as_bytes()) }
        .map_err(|e| error(refused(&e)))?;
    let root = root_of(*header).map_err(|(why, detail)| Problem { detail, ..error(why) })?;
    plugins(root, &Origin::File(file.to_owned())).map_err(error)
}

/// Returns the root of a library, if all types that cross have the layouts of this program.
fn root_of(header: AbiHeaderRef) -> Result<RootRef, Refusal> {
    let full = |error: &dyn Display| {
        let report = error.to_string();
        (failed(&one_line(&report)), Some(report))
    };
    let header = header.upgrade().map_err(|error| full(&error))?;
    let layout = header.layout().ok_or_else(|| (other_layout("it has no description"), None))?;
    check_layout_compatibility(RootRef::LAYOUT, layout)
        .map_err(|errors| (other_layout(&first_difference(&errors)), Some(errors.to_string())))?;
    // SAFETY: the layout was compared.
    unsafe { header.init_root_module_with_unchecked_layout() }.map_err(|error| full(&error))
}

/// Returns the first difference of two layouts, in one line: its place and what differs.
fn first_difference(errors: &AbiInstabilityErrors) -> String {
    // An error without a description says that a part of the type differs.
    let Some(error) = errors.errors.iter().find(|error| !error.errs.is_empty()) else {
        return "it is not described".to_owned();
    };
    let (mut function, mut part) = (None, "the root".to_owned());
    for at in &error.stack_trace {
        match at.expected {
            TLFieldOrFunction::Function(called) => function = Some(called.name),
            TLFieldOrFunction::Field(field) => part = field.full_type().to_string(),
        }
    }
    let place = match function.filter(|name| !name.starts_with("field_")) {
        Some(function) => format!("`{function}`, {part}"),
        None => part,
    };
    // Below each of these words, which begin a line of the report, are several lines.
    let report = error.to_string();
    let below = |word: &str| {
        let (_, text) = report.split_once(word)?;
        text.lines().map(str::trim).find(|line| !line.is_empty())
    };
    let what = below("\nError:").or_else(|| below("\nExtra:")).unwrap_or_default();
    match (below("\nExpected:"), below("\nFound:")) {
        (Some(expected), Some(found)) => {
            format!("{place}: {what}, expected {expected}, found {found}")
        }
        _ => format!("{place}: {what}"),
    }
}

/// Returns the plugins of a crate that is linked into the program.
pub fn linked(root: RootRef) -> Result<Vec<PluginInfo>, Problem> {
    plugins(root, &Origin::Linked).map_err(|why| {
        let package = root.package().as_str();
        Problem::new(package.as_ref(), &format!("{package} (built in): {why}"))
    })
}

/// Returns the plugins of a library, after telling it the file that it was loaded from: an empty
/// name for a library that is linked into the program.
fn plugins(root: RootRef, origin: &Origin) -> Result<Vec<PluginInfo>, String> {
    let file = match origin {
        Origin::Linked => String::new(),
        Origin::File(file) => file.display().to_string(),
    };
    root.loaded_from()(file.as_str().into());
    // The fault names the file, and so does the problem that the caller makes of it.
    let contents = root.contents()()
        .result()
        .map_err(|fault| failed(&one_line(&fault.0).replace(&format!(" ({file})"), "")))?;
    contents.iter().map(|entry| PluginInfo::new(entry, root.package().as_str(), origin)).collect()
}

/// Checks by its note whether a library may be loaded. The version comes first, because everything
/// else may differ as a consequence.
fn check_note(note: &Note) -> Result<(), String> {
    if note.version != ABI_VERSION {
        return Err(other_version(note.version));
    }
    let missing = note.missing_features();
    if missing.is_empty() {
        return Ok(());
    }
    let (why, list) = ("is built for a processor with", missing.join(", "));
    Err(format!("{why} {list}, which this one lacks; build it on this machine"))
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
    fn another_version_is_refused_before_the_features_are_compared() {
        for version in [ABI_VERSION - 1, ABI_VERSION + 1] {
            let mut other = Note::OF_THIS_BUILD;
            (other.version, other.features) = (version, u64::MAX);
            assert_eq!(check_note(&other), Err(other_version(version)));
        }
    }
}
