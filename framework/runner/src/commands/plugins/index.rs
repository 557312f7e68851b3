//! `runner plugins search`, `add`, `remove` and `index`: plugins of index files.

use clap::Args;
use runner_console::interrupt;
use runner_console::notes::note;
use runner_console::output::{Align, Table, print_json};
use runner_files::FileError;
use runner_play::failure::Failure;
use runner_plugin_kit::index::{Entry, Index, PluginFolder, State, describe};
use runner_spec::printable;
use serde::Serialize;
use std::env::{current_exe, var_os};
use std::io::{Write, stdout};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The index of a command.
#[derive(Debug, Clone, Args)]
struct IndexOptions {
    /// Index file [default: that of the variable RUNNER_INDEX]
    #[arg(long, value_name = "FILE.ron")]
    index: Option<PathBuf>,
}

/// List the plugins of an index
#[derive(Debug, Clone, Args)]
pub struct SearchOptions {
    /// Words, in any case, that the name, the plugins or the description contain
    words: Vec<String>,
    #[command(flatten)]
    index: IndexOptions,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// Add a plugin of an index to the folder of your own plugins
#[derive(Debug, Clone, Args)]
pub struct AddOptions {
    /// Name in the index
    name: String,
    #[command(flatten)]
    index: IndexOptions,
    /// Replace another version of the plugin
    #[arg(long)]
    force: bool,
}

/// An entry, as JSON.
#[derive(Serialize)]
struct Row<'a> {
    #[serde(flatten)]
    entry: &'a Entry,
    /// True for an entry that this program can use on this machine.
    usable: bool,
    /// Version of this name that was added.
    added: Option<String>,
}

impl IndexOptions {
    fn read(&self) -> Result<Index, Failure> {
        let named = self.index.clone().or_else(|| var_os("RUNNER_INDEX").map(PathBuf::from));
        Index::read(&named.ok_or_else(|| {
            Failure::usage("--index is missing; the variable RUNNER_INDEX can name the file too")
        })?)
    }
}

pub(super) fn search(options: &SearchOptions) -> Result<(), Failure> {
    let (index, folder) = (options.index.read()?, PluginFolder::of_user()?);
    let words: Vec<_> = options.words.iter().map(|word| word.to_lowercase()).collect();
    let is_found = |entry: &&Entry| {
        let text = format!("{} {} {}", entry.name, entry.plugins.join(" "), entry.about);
        words.iter().all(|word| text.to_lowercase().contains(word))
    };
    let mut rows = Vec::new();
    for entry in index.entries.iter().filter(is_found) {
        let added = match folder.state(&entry.name)? {
            State::Added(record) => Some(record.version),
            State::Absent | State::Other => None,
        };
        rows.push(Row { entry, usable: entry.unmet().is_none(), added });
    }
    if options.json {
        return Ok(print_json(&rows)?);
    }
    if rows.is_empty() {
        let shown = index.file.display();
        let text = match index.entries.is_empty() {
            true => format!("{shown}: lists no plugins"),
            false => format!("no plugin of {shown} has all of these words"),
        };
        return Ok(writeln!(stdout(), "{text}")?);
    }
    let mut table = Table::new(&[Align::Left; 5]);
    table.row(["name", "version", "state", "plugins", "description"]);
    for Row { entry, added, .. } in &rows {
        let state = match (entry.unmet(), added) {
            (Some(unmet), _) => format!("for {unmet}"),
            (None, Some(version)) if *version == entry.version => "added".into(),
            (None, Some(version)) => format!("{version} added"),
            (None, None) => String::new(),
        };
        let plugins = entry.plugins.join(", ");
        table.row([&entry.name, &entry.version, &state, &plugins, &entry.about]);
    }
    Ok(write!(stdout(), "{table}\n`runner plugins add NAME` adds one.\n")?)
}

pub(super) fn add(options: &AddOptions) -> Result<(), Failure> {
    let (index, folder) = (options.index.read()?, PluginFolder::of_user()?);
    let entry = index.find(&options.name)?;
    let Entry { name, version, .. } = entry;
    let file = folder.library(name);
    let shown = file.display();
    let change = folder.change()?;
    let exists = match folder.state(name)? {
        State::Absent => None,
        State::Added(record) if record.is_of(entry) => {
            let text = format!("{name} {version} is added already: {shown}");
            return Ok(writeln!(stdout(), "{}", printable(&text))?);
        }
        State::Added(record) => Some(format!("{shown} is version {} of it", record.version)),
        State::Other => Some(format!("{shown} exists, and is no added plugin")),
    };
    if let Some(exists) = exists.filter(|_| !options.force) {
        let message = format!("{exists}; --force replaces it by version {version}");
        return Err(Failure::usage(printable(&message)));
    }
    let source = index.path(entry);
    interruptible("nothing was added", || {
        change.add(entry, &source, |library| examine(library, &source))
    })?;
    let text = format!("added {name} {version} ({}): {shown}", entry.plugins.join(", "));
    Ok(writeln!(stdout(), "{}", printable(&text))?)
}

/// Runs a task that builds or tests plugins in other processes. Ctrl-C ends those, and the error that
/// follows lets the task remove its folder.
fn interruptible<T>(
    outcome: &str,
    task: impl FnOnce() -> Result<T, Failure>,
) -> Result<T, Failure> {
    interrupt::listen_between("build or test", None);
    task().map_err(|error| match interrupt::requested() {
        true => Failure::Interrupted(outcome.into()),
        false => error,
    })
}

/// Tests a library by `runner plugins doctor` in another process, which it may end. Its messages are
/// about the file that the user knows, `source`.
fn examine(library: &Path, source: &Path) -> Result<(), Failure> {
    let program = current_exe().map_err(FileError::at("find", Path::new("runner")))?;
    let tested = Command::new(&program)
        .args(["plugins", "doctor", "--library"])
        .arg(library)
        .output()
        .map_err(FileError::at("start", &program))?;
    // A signal to this process alone does not reach the test.
    if tested.status.success() && !interrupt::requested() {
        return Ok(());
    }
    let (out, err) =
        (String::from_utf8_lossy(&tested.stdout), String::from_utf8_lossy(&tested.stderr));
    let source = source.display().to_string();
    let lines = out.lines().filter(|line| line.starts_with("BAD ")).chain(err.lines());
    for line in lines {
        note(printable(&line.replace(&*library.to_string_lossy(), &source)));
    }
    let status = tested.status;
    Err(Failure::failed(format!(
        "{source}: did not pass `runner plugins doctor` ({status}), and is not added"
    )))
}

pub(super) fn remove(name: &str) -> Result<(), Failure> {
    let file = PluginFolder::of_user()?.remove(name)?;
    Ok(writeln!(stdout(), "removed {name}: {}", file.display())?)
}

pub(super) fn print(paths: &[PathBuf]) -> Result<(), Failure> {
    let entries = interruptible("no index was printed", || {
        paths.iter().map(|path| describe(path)).collect::<Result<Vec<_>, _>>()
    })?;
    let text = ron::ser::to_string_pretty(&entries, ron::ser::PrettyConfig::default());
    Ok(writeln!(stdout(), "{}", text.map_err(Failure::failed)?)?)
}
