//! The list of plugins: loading libraries, and finding plugins by name.

use super::entry::{Kind, Origin, PluginInfo, Registered};
use super::error::NameError;
use crate::RootRef;
use crate::abi::library::{Entry, Identity};
use crate::load::{self, Loaded, Problem, SearchPath, is_plugin_name};
use runner_core::Spec;
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

/// The plugins and the problems of all libraries.
#[derive(Clone, Default)]
pub struct Catalog {
    registered: Vec<Registered>,
    problems: Vec<Problem>,
    /// The crates that are linked into the program.
    linked: BTreeSet<String>,
    /// The names of all library files, so that a copy in a later folder is not loaded.
    names: BTreeSet<OsString>,
    /// The canonical paths of all library files, so that none is loaded twice.
    files: BTreeSet<PathBuf>,
}

impl Catalog {
    /// Adds the plugins of a crate that is linked into the program.
    pub fn link(&mut self, root: RootRef) {
        let package = load::package(root);
        self.linked.insert(package.clone());
        match load::contents(root, "") {
            Ok(contents) => self.add(Loaded { package, contents }, &Origin::Linked),
            Err(fault) => {
                let message = format!("{package} (built in): {fault}");
                self.problems.push(Problem::new(package.as_ref(), &message));
            }
        }
    }

    /// Returns true if a crate is linked into the program, wherever its plugins were loaded from.
    pub fn is_linked(&self, package: &str) -> bool {
        self.linked.contains(package)
    }

    /// Loads the libraries in the given places.
    pub fn search(&mut self, path: &SearchPath) {
        for place in &path.explicit {
            if place.is_dir() {
                self.load_folder(place, true);
            } else {
                self.load_file(place);
            }
        }
        if let Some(folder) = &path.build {
            let linked = self.registered.iter().filter(|plugin| plugin.origin == Origin::Linked);
            let packages: BTreeSet<_> = linked.map(|plugin| plugin.package.clone()).collect();
            for name in packages.iter().map(|package| load::library_name(package)) {
                let file = folder.join(&name);
                if !self.names.contains(OsStr::new(&name)) && file.is_file() {
                    self.load_file(&file);
                }
            }
        }
        for folder in &path.usual {
            self.load_folder(folder, false);
        }
    }

    fn load_folder(&mut self, folder: &Path, must_exist: bool) {
        let names = std::fs::read_dir(folder).and_then(|entries| {
            entries.map(|entry| Ok(entry?.file_name())).collect::<io::Result<BTreeSet<_>>>()
        });
        match names {
            Ok(names) => {
                if must_exist {
                    self.problems.extend(unnamed(folder, &names));
                }
                for name in names {
                    if name.to_str().is_some_and(is_plugin_name) && !self.names.contains(&name) {
                        self.load_file(&folder.join(name));
                    }
                }
            }
            Err(error) if !must_exist && error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => {
                let message =
                    format!("{}: cannot be read: {error}; check the path", folder.display());
                self.problems.push(Problem::new(folder, &message));
            }
        }
    }

    /// Loads one library, unless it is loaded already, or records what is wrong with it.
    pub fn load_file(&mut self, file: &Path) {
        self.names.extend(file.file_name().map(ToOwned::to_owned));
        // A file that does not exist has no canonical path; loading it says so.
        if let Ok(canonical) = file.canonicalize()
            && !self.files.insert(canonical)
        {
            return;
        }
        match load::load(file) {
            Ok(loaded) => self.add(loaded, &Origin::File(file.to_owned())),
            Err(problem) => self.problems.push(problem),
        }
    }

    fn add(&mut self, Loaded { package, contents }: Loaded, origin: &Origin) {
        for &Entry { ref identity, builder } in contents.iter() {
            let (origin, package) = (origin.clone(), package.clone());
            let identity: Identity = match ron::from_str(&identity.text()) {
                Ok(identity) => identity,
                Err(error) => {
                    let message = format!(
                        "{origin}: the name and parameters of a {} cannot be read: {error}; \
                         rebuild it against this runner's framework",
                        builder.kind()
                    );
                    self.refuse(&origin, &package, None, &message);
                    continue;
                }
            };
            let new = Registered { identity, builder, origin, package, ambiguous: None };
            let (kind, name) = (new.builder.kind(), new.identity.name.clone());
            if is_valid_name(&name) {
                self.register(new);
            } else {
                let message = format!(
                    "{}: exports a {kind} with the name `{}`, which no spec can contain; rename \
                     it to lower case letters, digits and hyphens",
                    new.origin,
                    name.escape_debug(),
                );
                self.refuse(&new.origin, &new.package, Some((kind, name)), &message);
            }
        }
    }

    fn refuse(
        &mut self,
        origin: &Origin,
        package: &str,
        plugin: Option<(Kind, String)>,
        message: &str,
    ) {
        let file = match origin {
            Origin::File(file) => file,
            Origin::Linked => Path::new(package),
        };
        self.problems.push(Problem { plugin, ..Problem::new(file, message) });
    }

    fn register(&mut self, new: Registered) {
        let (kind, name) = (new.builder.kind(), new.identity.name.clone());
        // A value can stand where an agent is expected, so they share their names.
        let rival = self.registered.iter_mut().find(|other| {
            (other.builder.kind() == Kind::Game) == (kind == Kind::Game)
                && other.identity.name == name
        });
        let Some(rival) = rival else { return self.registered.push(new) };
        if rival.origin == Origin::Linked && rival.package == new.package {
            // A name that a third library has too stays ambiguous.
            *rival = Registered { ambiguous: rival.ambiguous.take(), ..new };
            return;
        }
        let (one, other) = (&new.origin, &rival.origin);
        let message = match other {
            _ if one == other => {
                format!("{one}: exports the {kind} `{name}` twice; rename one of them")
            }
            Origin::Linked => format!(
                "{one}: exports the {kind} `{name}`, which is built into this program; \
                 rename it or remove the file"
            ),
            Origin::File(_) => format!(
                "{one}: exports the {kind} `{name}`, and so does {other}; \
                 rename it or remove one of the files"
            ),
        };
        rival.ambiguous = Some(message.clone());
        self.refuse(&new.origin, &new.package, Some((kind, name)), &message);
    }

    /// Returns what could not be loaded or used.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Returns all plugins, including ambiguous ones.
    pub fn all(&self) -> &[Registered] {
        &self.registered
    }

    /// Returns all plugins that can be used, ordered by kind and name.
    pub fn plugins(&self) -> Vec<PluginInfo> {
        let usable = self.registered.iter().filter(|plugin| plugin.ambiguous.is_none());
        let mut list: Vec<PluginInfo> = usable.map(Registered::info).collect();
        list.sort_by(|a, b| (a.kind, &a.name).cmp(&(b.kind, &b.name)));
        list
    }

    /// Replaces the presets that nested specs of a resolved spec name by their parameters, so
    /// that it states what was built even when a preset changes.
    pub fn with_nested_presets(&self, spec: Spec) -> Spec {
        let mut complete = spec.clone();
        for (path, nested) in spec.nested() {
            let named = self.registered.iter().filter(|plugin| {
                plugin.identity.name == nested.name() && !plugin.identity.presets.is_empty()
            });
            let mut completed =
                named.flat_map(|plugin| nested.with_preset(&plugin.identity.presets));
            let completed = completed.next().unwrap_or_else(|| nested.clone());
            let resolved = self.with_nested_presets(completed);
            if resolved != *nested {
                complete = complete.with(&path, resolved).unwrap_or(complete);
            }
        }
        complete
    }

    /// Returns the plugin with this name among some kinds. `wanted` is the kind for the message.
    pub fn find(&self, wanted: &str, kinds: &[Kind], name: &str) -> Result<&Registered, NameError> {
        let of_kind = || self.registered.iter().filter(|p| kinds.contains(&p.builder.kind()));
        match of_kind().find(|plugin| plugin.identity.name == name) {
            Some(Registered { ambiguous: Some(message), .. }) => {
                Err(NameError::Ambiguous(message.clone()))
            }
            Some(plugin) => Ok(plugin),
            None => {
                let mut known: Vec<String> =
                    of_kind().map(|plugin| plugin.identity.name.clone()).collect();
                known.sort();
                let nearest = runner_spec::nearest(name, known.iter().map(String::as_str));
                Err(NameError::Unknown {
                    wanted: wanted.into(),
                    name: name.into(),
                    nearest: nearest.map(Into::into),
                    known,
                })
            }
        }
    }
}

/// Returns the problem of a folder whose libraries all have names that are not loaded.
fn unnamed(folder: &Path, names: &BTreeSet<OsString>) -> Option<Problem> {
    let mut names = names.iter().filter_map(|name| name.to_str());
    let library = names.clone().find(|name| name.ends_with(std::env::consts::DLL_SUFFIX))?;
    if names.any(is_plugin_name) {
        return None;
    }
    let message = format!(
        "{}: {library} is not loaded: of a folder, only libraries named like {} are; name the \
         file itself",
        folder.display(),
        load::library_name("runner_plugin_NAME")
    );
    Some(Problem::new(folder, &message))
}

/// Returns true if a spec can contain the name.
fn is_valid_name(name: &str) -> bool {
    let valid = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    !name.is_empty() && name.chars().all(valid)
}

#[cfg(test)]
mod tests {
    use super::is_valid_name;

    #[test]
    fn names_are_lower_case_letters_digits_and_hyphens() {
        for name in ["2048", "tc-ntuple", "a"] {
            assert!(is_valid_name(name), "{name}");
        }
        for name in ["", "My Gäme(x: 1)", "A", "a b", "a\u{1b}[31m", "ä", "a_b"] {
            assert!(!is_valid_name(name), "{name:?}");
        }
    }
}
