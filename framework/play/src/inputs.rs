//! The inputs of a result beside its definition: plugins, and the files that specs name, such as
//! models, exact tables and programs. [`InputFiles`] finds the files; none may be an output of the
//! job. [`Inputs`] has a checksum or version of each, by which a continued job notices a change.

use crate::failure::Failure;
use crate::registry::Registry;
use runner_core::Spec;
use runner_files::FileError;
use runner_plugin::{Origin, PluginInfo};
use serde::{Deserialize, Serialize};
use std::collections::btree_map::{BTreeMap, Entry};
use std::io::Read;
use std::path::{Path, PathBuf};

/// How a job that continues handles a replaced input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplacedInput<'a> {
    Accepted,
    /// Refused; the message names the flag `--accept-changes`.
    Refused,
    /// Refused; the message names this remedy instead of the flag.
    RefusedOr(&'a str),
}

/// The inputs of a result, sorted by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Inputs(Vec<Input>);

/// A file or a plugin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Input {
    /// The file as a spec names it, or the plugin, such as "game `2048`".
    name: String,
    /// Version of a plugin; empty for another file.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    version: String,
    /// Size of the file in bytes; 0 for a plugin that comes with the program.
    size: u64,
    /// CRC-32 of all bytes, in hexadecimal; empty for a plugin that comes with the program.
    checksum: String,
}

impl Inputs {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the name of each input and a text with its version, size and checksum.
    pub fn facts(&self) -> impl Iterator<Item = (&str, String)> {
        self.0.iter().map(|input| (&*input.name, input.facts()))
    }

    /// Describes the first input of `before` that has changed, with the remedies; `None` if none
    /// has, or if changes are accepted.
    pub fn difference_from(&self, before: &Self, replaced: ReplacedInput<'_>) -> Option<String> {
        let remedy = match replaced {
            ReplacedInput::Accepted => return None,
            ReplacedInput::Refused => "add --accept-changes",
            ReplacedInput::RefusedOr(remedy) => remedy,
        };
        for old in &before.0 {
            if let Some(new) = self.0.iter().find(|new| new.name == old.name && *new != old) {
                let (name, had, has) = (&old.name, old.facts(), new.facts());
                return Some(format!(
                    "its {name} was replaced: it had {had}, and now has {has} (restore it to \
                     continue, or {remedy})"
                ));
            }
        }
        None
    }
}

impl Input {
    fn facts(&self) -> String {
        let Self { version, size, checksum, .. } = self;
        match (version.as_str(), checksum.as_str()) {
            ("", "") => String::new(),
            ("", _) => format!("{size} bytes and checksum {checksum}"),
            (_, "") => format!("version {version}"),
            _ => format!("version {version}, {size} bytes and checksum {checksum}"),
        }
    }
}

/// The files that a job reads. None of them may be one of its outputs.
#[derive(Debug, Default)]
pub struct InputFiles {
    /// The plugins and files that the result depends on, by [`Input::name`].
    of_result: BTreeMap<String, InputFile>,
    /// Files that the job reads, but on which the result does not depend.
    others: Vec<PathBuf>,
}

#[derive(Debug)]
struct InputFile {
    /// Version of a plugin; empty for another file.
    version: String,
    /// `None` for a plugin that comes with the program.
    path: Option<PathBuf>,
}

impl InputFiles {
    /// Finds the plugins of games and players, and the files that their specs name. Nested specs
    /// are included. The result depends on these and on `files`.
    pub fn find<'a>(
        games: impl IntoIterator<Item = &'a Spec>,
        players: impl IntoIterator<Item = &'a Spec>,
        files: impl IntoIterator<Item = &'a PathBuf>,
        registry: &Registry,
    ) -> Self {
        let plugins = registry.plugins();
        let mut found = Self::default();
        for spec in games.into_iter().chain(players) {
            found.add_spec(spec, &plugins);
        }
        for file in files {
            found.add_file(file.display().to_string(), file);
        }
        found
    }

    /// Adds files that the job reads, but on which its result does not depend.
    #[must_use]
    pub fn and(mut self, files: impl IntoIterator<Item = impl AsRef<Path>>) -> Self {
        self.others.extend(files.into_iter().map(|file| file.as_ref().to_owned()));
        self
    }

    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        let of_result = self.of_result.values().filter_map(|file| file.path.as_deref());
        of_result.chain(self.others.iter().map(PathBuf::as_path))
    }

    /// Reads the files on which the result depends, for their sizes and checksums.
    pub fn read(&self) -> Result<Inputs, Failure> {
        // Several plugins may be in one library, which is read once.
        let mut known: BTreeMap<&Path, (u64, String)> = BTreeMap::new();
        let mut inputs = Vec::new();
        for (name, InputFile { version, path }) in &self.of_result {
            let (size, checksum) = match path {
                None => (0, String::new()),
                Some(path) => {
                    if let Entry::Vacant(entry) = known.entry(path) {
                        entry.insert(size_and_checksum(path)?);
                    }
                    known[path.as_path()].clone()
                }
            };
            let (name, version) = (name.clone(), version.clone());
            inputs.push(Input { name, version, size, checksum });
        }
        Ok(Inputs(inputs))
    }

    fn add_spec(&mut self, spec: &Spec, plugins: &[PluginInfo]) {
        for plugin in plugins.iter().filter(|plugin| plugin.name == spec.name()) {
            let path = match &plugin.origin {
                Origin::Linked => None,
                Origin::File(path) => Some(path.clone()),
            };
            let name = format!("{} `{}`", plugin.kind, plugin.name);
            self.of_result.insert(name, InputFile { version: plugin.version.clone(), path });
        }
        for (path, text) in spec.texts() {
            if !names_no_file(spec, parameter_of(&path), &text, plugins) {
                self.add_text(&text);
            }
        }
        for (_, nested) in spec.nested() {
            self.add_spec(nested, plugins);
        }
    }

    /// Adds the file that a text names, or the files and programs that its words name: a text may
    /// be a command.
    fn add_text(&mut self, text: &str) {
        if Path::new(text).is_file() {
            return self.add_file(text.to_owned(), Path::new(text));
        }
        for word in text.split_whitespace() {
            if let Some(path) = program(word) {
                self.add_file(word.to_owned(), &path);
            }
        }
    }

    fn add_file(&mut self, name: String, path: &Path) {
        let path = Some(path.to_owned());
        self.of_result.insert(name, InputFile { version: String::new(), path });
    }
}

/// Returns the file that a word names, here or in a folder of the variable PATH.
fn program(word: &str) -> Option<PathBuf> {
    let mut places = vec![PathBuf::from(word)];
    if !word.contains('/') {
        let folders = std::env::var_os("PATH").unwrap_or_default();
        places.extend(std::env::split_paths(&folders).map(|folder| folder.join(word)));
    }
    places.into_iter().find(|path| path.is_file())
}

/// Returns the parameter at the beginning of the path of a value: `values` of `values.0`.
pub fn parameter_of(path: &str) -> &str {
    path.split('.').next().unwrap_or_default()
}

/// Returns true if there are plugins with the name of the spec, and each has this parameter and
/// takes the text for something else than a file name.
pub fn names_no_file(spec: &Spec, parameter: &str, text: &str, plugins: &[PluginInfo]) -> bool {
    let named: Vec<_> = plugins.iter().filter(|plugin| plugin.name == spec.name()).collect();
    !named.is_empty()
        && named.iter().all(|plugin| {
            let own = plugin.parameters.iter().find(|own| own.name == parameter);
            own.is_some_and(|own| own.allowed.kind.allows_without_files(text))
        })
}

/// Returns the size of a file in bytes, and its CRC-32 in hexadecimal.
fn size_and_checksum(path: &Path) -> Result<(u64, String), FileError> {
    let mut file = runner_files::open(path)?;
    let mut buffer = vec![0; 1 << 20];
    let mut checksum = crc32fast::Hasher::new();
    let mut size = 0;
    loop {
        let read = file.read(&mut buffer).map_err(FileError::at("read", path))?;
        if read == 0 {
            return Ok((size, format!("{:08x}", checksum.finalize())));
        }
        checksum.update(&buffer[..read]);
        size += read as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn every_file_that_a_spec_names_is_an_input_and_a_change_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        for name in ["a b.model", "c.table", "agent.py", "starts"] {
            fs::write(path(name), "one").unwrap();
        }
        let spec = format!(
            "search(value: sum(tables: \"{} none\", value: net(model: {:?})), \
             partner: process(command: [\"sh\", {:?}, \"--fast\"]))",
            path("c.table"),
            path("a b.model"),
            path("agent.py")
        );
        let (game, spec) = ("2048".parse().unwrap(), spec.parse().unwrap());
        let files = [PathBuf::from(path("starts"))];
        let read = || InputFiles::find([&game], [&spec], &files, &Registry::new()).read().unwrap();
        let before = read();
        assert_eq!(before.0.len(), 5, "{before:?}");
        assert_eq!(read().difference_from(&before, ReplacedInput::Refused), None);
        for name in ["a b.model", "c.table", "agent.py", "starts"] {
            fs::write(path(name), "other").unwrap();
            let now = read();
            let difference = now.difference_from(&before, ReplacedInput::Refused).unwrap();
            for part in [name, "3 bytes", "5 bytes", "restore it", "or add --accept-changes"] {
                assert!(difference.contains(part), "{difference}");
            }
            assert_eq!(now.difference_from(&before, ReplacedInput::Accepted), None);
            fs::write(path(name), "one").unwrap();
        }
    }
}
