//! Loads a library: examines the file before any of its code runs, loads it, compares the
//! layouts, and lists its plugins. A library that is not used is a [`Problem`].

mod examine;

use crate::info::{Origin, PluginInfo, PluginKind};
use crate::library::RootRef;
use crate::note::{ABI_VERSION, Note};
use abi_stable::StableAbi;
use abi_stable::abi_stability::abi_checking::{AbiInstabilityErrors, check_layout_compatibility};
use abi_stable::library::{AbiHeaderRef, LibraryError};
use abi_stable::type_layout::TLFieldOrFunction;
use libloading::Library;
use runner_spec::one_line;
use std::io;
use std::path::{Path, PathBuf};

/// A library, or a plugin in it, that is not used.
#[derive(Clone, Debug)]
pub struct Problem {
    pub file: PathBuf,
    /// The plugin, or `None` if the problem is the whole library.
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

/// Loads a library and returns its plugins. Libraries are never unloaded.
pub fn load(file: &Path) -> Result<Vec<PluginInfo>, Problem> {
    let shown = file.display().to_string();
    let problem = |why: String| Problem::new(file, &format!("{shown}: {why}"));
    let examined = examine::examine(file).map_err(problem)?;
    check_note(&examined.note).map_err(problem)?;
    // The system would search for a bare name; it takes an absolute path as it is.
    let path = std::path::absolute(file).map_err(|error| problem(unreadable(error)))?;
    // SAFETY: the file was examined: it is a whole library for this machine that
    // was exported by our macro, whose initialisers are those of Rust's std.
    let loaded = unsafe { Library::new(&path) }.map_err(|error| problem(refused(&error)))?;
    // Its functions and statics stay in use as long as the program runs.
    let library: &'static Library = Box::leak(Box::new(loaded));
    // SAFETY: the macro exports a `LibHeader` under this name, whose first field is the header
    // that this reference points to. `upgrade` in `root_of` checks its magic number.
    let header = unsafe { library.get::<AbiHeaderRef>(examined.root.as_bytes()) }
        .map_err(|error| problem(refused(&error)))?;
    let root = root_of(*header, problem)?;
    plugins(root, &Origin::File(file.to_owned())).map_err(problem)
}

/// Returns the plugins of a crate that is linked into the program.
pub fn linked(root: RootRef) -> Result<Vec<PluginInfo>, Problem> {
    plugins(root, &Origin::Linked).map_err(|why| {
        let package = root.package().as_str();
        Problem::new(package.as_ref(), &format!("{package} (built in): {why}"))
    })
}

/// Tells a library the file that it was loaded from, and returns its plugins.
fn plugins(root: RootRef, origin: &Origin) -> Result<Vec<PluginInfo>, String> {
    let file = match origin {
        Origin::Linked => String::new(),
        Origin::File(file) => file.display().to_string(),
    };
    root.loaded_from()(file.as_str().into());
    // The name of the file is cut out of the fault, because the caller writes it before the message.
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
    let list = missing.join(", ");
    Err(format!(
        "is built for a processor with {list}, which this one lacks; build it on this machine"
    ))
}

/// Returns the root of a library, if all types that cross have the layouts of this program.
fn root_of(header: AbiHeaderRef, problem: impl Fn(String) -> Problem) -> Result<RootRef, Problem> {
    let with_report = |why: String, report| Problem { detail: Some(report), ..problem(why) };
    let failure = |error: LibraryError| {
        let report = error.to_string();
        with_report(failed(&one_line(&report)), report)
    };
    let header = header.upgrade().map_err(failure)?;
    let layout = header.layout().ok_or_else(|| problem(other_layout("it has no description")))?;
    check_layout_compatibility(RootRef::LAYOUT, layout).map_err(|errors| {
        with_report(other_layout(&first_difference(&errors)), errors.to_string())
    })?;
    // SAFETY: the layout was compared.
    unsafe { header.init_root_module_with_unchecked_layout() }.map_err(failure)
}

/// Returns the first difference of two layouts, in one line: its place and what differs.
fn first_difference(errors: &AbiInstabilityErrors) -> String {
    // An error without a description says that a part of the type differs.
    let Some(error) = errors.errors.iter().find(|error| !error.errs.is_empty()) else {
        return "it is not described".to_owned();
    };
    // The trace leads from the root to the type that differs.
    let mut function = None;
    let mut place = "the root".to_owned();
    for step in &error.stack_trace {
        match step.expected {
            TLFieldOrFunction::Function(called) => function = Some(called.name),
            TLFieldOrFunction::Field(field) => place = field.full_type().to_string(),
        }
    }
    // abi_stable names the function of a field without a name `field_0`, which says nothing.
    if let Some(name) = function
        && !name.starts_with("field_")
    {
        place = format!("`{name}`, {place}");
    }
    let report = error.to_string();
    let what = line_below(&report, "\nError:")
        .or_else(|| line_below(&report, "\nExtra:"))
        .unwrap_or_default();
    match (line_below(&report, "\nExpected:"), line_below(&report, "\nFound:")) {
        (Some(expected), Some(found)) => {
            format!("{place}: {what}, expected {expected}, found {found}")
        }
        _ => format!("{place}: {what}"),
    }
}

/// Returns the first line below a heading of a report that is not empty.
fn line_below<'a>(report: &'a str, heading: &str) -> Option<&'a str> {
    let (_, below) = report.split_once(heading)?;
    below.lines().map(str::trim).find(|line| !line.is_empty())
}

// The reasons why a library is refused, which follow the name of the file.

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

/// The source of an error of `libloading` has the message of the system's loader.
fn refused(error: &libloading::Error) -> String {
    let message = std::error::Error::source(error).map_or(error.to_string(), ToString::to_string);
    format!("cannot be loaded: {message}; build it on this machine")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_version_is_refused_before_the_features_are_compared() {
        for version in [ABI_VERSION - 1, ABI_VERSION + 1] {
            let mut other = Note::OF_THIS_BUILD;
            other.version = version;
            other.features = u64::MAX;
            assert_eq!(check_note(&other), Err(other_version(version)));
        }
    }
}
