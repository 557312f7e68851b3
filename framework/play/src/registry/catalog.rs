//! The list of plugins in a [`Registry`]: loading libraries, and finding plugins by name.

use super::search::{SearchPath, is_plugin_name, library_name};
use super::{Registered, Registry};
use crate::failure::Failure;
use crate::inputs::parameter_of;
use runner_core::{Kind, Spec};
use runner_plugin::{Origin, PluginInfo, PluginKind, Problem, RootRef, linked, load};
use runner_spec::nearest;
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Folder {
    /// The user named it, so it must exist and have a library that can be loaded.
    Explicit,
    Usual,
}

impl Registry {
    /// Adds the plugins of a crate that is linked into the program. They are replaced if the
    /// library of that crate is loaded later.
    pub fn link(&mut self, root: RootRef) {
        match linked(root) {
            Ok(plugins) => {
                self.linked.extend(plugins.first().map(|plugin| plugin.package.clone()));
                self.add(plugins);
            }
            Err(problem) => self.problems.push(problem),
        }
    }

    /// Loads the libraries in the given places. A file is loaded once, however often it is named.
    pub fn search(&mut self, path: &SearchPath) {
        for place in &path.explicit {
            if place.is_dir() {
                self.load_folder(place, Folder::Explicit);
            } else {
                self.load_file(place);
            }
        }
        if let Some(folder) = &path.build {
            self.load_build_folder(folder);
        }
        for folder in &path.usual {
            self.load_folder(folder, Folder::Usual);
        }
    }

    /// See [`SearchPath::build`].
    fn load_build_folder(&mut self, folder: &Path) {
        let linked = self.registered.iter().filter(|plugin| plugin.info.origin == Origin::Linked);
        let names: BTreeSet<_> = linked.map(|plugin| library_name(&plugin.info.package)).collect();
        for name in names {
            let file = folder.join(&name);
            if !self.names.contains(OsStr::new(&name)) && file.is_file() {
                self.load_file(&file);
            }
        }
    }

    fn load_folder(&mut self, path: &Path, folder: Folder) {
        let names = path.read_dir().and_then(|entries| {
            entries.map(|entry| Ok(entry?.file_name())).collect::<io::Result<BTreeSet<_>>>()
        });
        match names {
            Ok(names) => {
                if folder == Folder::Explicit {
                    self.problems.extend(unnamed(path, &names));
                }
                for name in names {
                    if name.to_str().is_some_and(is_plugin_name) && !self.names.contains(&name) {
                        self.load_file(&path.join(name));
                    }
                }
            }
            Err(error) if folder == Folder::Usual && error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => {
                let message =
                    format!("{}: cannot be read: {error}; check the path", path.display());
                self.problems.push(Problem::new(path, &message));
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
        match load(file) {
            Ok(plugins) => self.add(plugins),
            Err(problem) => self.problems.push(problem),
        }
    }

    /// Adds plugins, or records why they are refused.
    fn add(&mut self, plugins: Vec<PluginInfo>) {
        for info in plugins {
            let plugin = Some((info.kind, info.name.clone()));
            let file = match &info.origin {
                Origin::File(file) => file.clone(),
                Origin::Linked => info.package.clone().into(),
            };
            if let Err(message) = self.register(info) {
                self.problems.push(Problem { plugin, ..Problem::new(&file, &message) });
            }
        }
    }

    /// Adds a plugin, or returns why it is refused.
    fn register(&mut self, new: PluginInfo) -> Result<(), String> {
        let PluginInfo { kind, name, origin, .. } = &new;
        if !is_valid_name(name) {
            return Err(format!(
                "{origin}: exports a {kind} with the name `{}`, which no spec can contain; rename \
                 it to lower case letters, digits and hyphens",
                name.escape_debug(),
            ));
        }
        // A value can stand where an agent is expected, so no agent has the name of a value.
        let is_game = |kind| kind == PluginKind::Game;
        let mut same_name = self.registered.iter_mut().filter(|other| other.info.name == *name);
        let Some(rival) = same_name.find(|other| is_game(other.info.kind) == is_game(*kind)) else {
            self.registered.push(Registered { info: new, ambiguous: None });
            return Ok(());
        };
        if rival.info.origin == Origin::Linked && rival.info.package == new.package {
            // `rival.ambiguous` stays set if a third library has a plugin with this name.
            rival.info = new;
            return Ok(());
        }
        let message = match &rival.info.origin {
            same if same == origin => {
                format!("{origin}: exports the {kind} `{name}` twice; rename one of them")
            }
            Origin::Linked => format!(
                "{origin}: exports the {kind} `{name}`, which is built into this program; \
                 rename it or remove the file"
            ),
            Origin::File(other) => format!(
                "{origin}: exports the {kind} `{name}`, and so does {}; \
                 rename it or remove one of the files",
                other.display()
            ),
        };
        rival.ambiguous = Some(message.clone());
        Err(message)
    }

    /// Returns what could not be loaded or used.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Returns all plugins that can be used, ordered by kind and name.
    pub fn plugins(&self) -> Vec<PluginInfo> {
        let usable = self.registered.iter().filter(|plugin| plugin.ambiguous.is_none());
        let mut list: Vec<PluginInfo> = usable.map(|plugin| plugin.info.clone()).collect();
        list.sort_by(|a, b| (a.kind, &a.name).cmp(&(b.kind, &b.name)));
        list
    }

    /// Replaces each preset that a nested spec names with the parameters of the preset, so that
    /// the resolved spec stays valid when the preset changes.
    pub(super) fn with_nested_presets(&self, spec: &Spec, plugin: Option<&PluginInfo>) -> Spec {
        self.map_nested(spec, plugin, |nested, plugin| {
            let completed = plugin.and_then(|plugin| nested.with_preset(&plugin.presets).ok());
            self.with_nested_presets(completed.as_ref().unwrap_or(nested), plugin)
        })
    }

    /// Returns the spec of a plugin with each of its nested specs changed. `change` also gets the
    /// plugin that a nested spec names: a game where the parameter takes one, otherwise a player.
    pub fn map_nested(
        &self,
        spec: &Spec,
        plugin: Option<&PluginInfo>,
        change: impl Fn(&Spec, Option<&PluginInfo>) -> Spec,
    ) -> Spec {
        spec.map_nested(|path, nested| {
            let mut parameters = plugin.iter().flat_map(|plugin| &plugin.parameters);
            let parameter = parameters.find(|parameter| parameter.name == parameter_of(path));
            let named = if parameter.is_some_and(|parameter| takes_game(&parameter.allowed.kind)) {
                self.game_plugin(nested.name())
            } else {
                self.player(nested.name())
            };
            change(nested, named.ok())
        })
    }

    /// Returns the plugin with this name among some kinds. `wanted` is the kind for the message.
    pub(super) fn find(
        &self,
        wanted: &str,
        kinds: &[PluginKind],
        name: &str,
    ) -> Result<&PluginInfo, Failure> {
        let of_kind = || self.registered.iter().filter(|plugin| kinds.contains(&plugin.info.kind));
        match of_kind().find(|plugin| plugin.info.name == name) {
            Some(Registered { ambiguous: Some(message), .. }) => Err(Failure::usage(message)),
            Some(plugin) => Ok(&plugin.info),
            None => {
                let known = of_kind().map(|plugin| plugin.info.name.as_str());
                let mut others = self.registered.iter().map(|plugin| &plugin.info);
                let other = others.find(|other| other.name == name).map(|other| other.kind);
                Err(unknown(wanted, name, other, known))
            }
        }
    }
}

/// Returns the error of a name that is none of the known ones. `wanted` names the kind in the
/// message. `other` is the kind of the plugin that has this name, if there is one of another kind.
pub fn unknown<'a>(
    wanted: &str,
    name: &str,
    other: Option<PluginKind>,
    known: impl Iterator<Item = &'a str>,
) -> Failure {
    let mut names: Vec<_> = known.collect();
    names.sort_unstable();
    let hint = match other {
        Some(kind) => {
            let article = if kind == PluginKind::Agent { "an" } else { "a" };
            // A value is a player too.
            let flag = if kind == PluginKind::Game { "game" } else { "agent" };
            format!(": it is {article} {kind}, which belongs to --{flag}")
        }
        None => nearest(name, names.iter().copied())
            .map(|close| format!(" (did you mean `{close}`?)"))
            .unwrap_or_default(),
    };
    let all = names.join(", ");
    Failure::usage(format!("there is no {wanted} `{name}`{hint}; there are: {all}"))
}

/// Returns the problem of a folder in which no library has a name that is loaded.
fn unnamed(folder: &Path, names: &BTreeSet<OsString>) -> Option<Problem> {
    let texts: Vec<_> = names.iter().filter_map(|name| name.to_str()).collect();
    let library = texts.iter().find(|name| name.ends_with(std::env::consts::DLL_SUFFIX))?;
    if texts.iter().any(|name| is_plugin_name(name)) {
        return None;
    }
    let message = format!(
        "{}: {library} is not loaded: of a folder, only libraries named like {} are; name the \
         file itself",
        folder.display(),
        library_name("runner_plugin_NAME")
    );
    Some(Problem::new(folder, &message))
}

fn takes_game(kind: &Kind) -> bool {
    match kind {
        Kind::Game => true,
        Kind::List(items) => takes_game(items),
        _ => false,
    }
}

/// Returns true if a spec can contain the name.
fn is_valid_name(name: &str) -> bool {
    let valid = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    name.chars().all(valid) && name.parse::<Spec>().is_ok()
}
