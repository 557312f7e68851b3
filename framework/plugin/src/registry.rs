//! All plugins that are known by name, where they came from, and what is wrong
//! with those that are not.

use crate::abi::{AgentEntry, BuildRefused, BuildSite, GameEntry, Identity, ValueEntry};
use crate::load::{self, Loaded, SearchPath, is_plugin_name, one_line};
use crate::proxy::{DynAgent, DynGame, DynValue, HostShare, utf8};
use crate::{RootRef, abi};
use abi_stable::std_types::{ROption, RStr};
use runner_core::{Fault, ForeignModel, Parameter, Spec, SpecError};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What a plugin is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// A game.
    Game,
    /// A value, which may be a learner.
    Value,
    /// An agent.
    Agent,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Kind::Game => "game",
            Kind::Value => "value",
            Kind::Agent => "agent",
        })
    }
}

/// Where a plugin came from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Origin {
    /// It is linked into the program.
    Linked,
    /// It was loaded from this file.
    File(PathBuf),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Linked => f.write_str("built in"),
            Origin::File(path) => path.display().fmt(f),
        }
    }
}

/// What is known about a plugin.
#[derive(Clone, Debug)]
pub struct PluginInfo {
    /// Game, value or agent.
    pub kind: Kind,
    /// The name by which it is asked for.
    pub name: String,
    /// What it is, in one line.
    pub about: String,
    /// Its version.
    pub version: String,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// Where it came from.
    pub origin: Origin,
    /// Whether it is a value that learns.
    pub learner: bool,
}

/// A library, or a plugin in it, that is not used.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The file.
    pub file: PathBuf,
    /// The plugin, if it is not the whole library.
    pub plugin: Option<(Kind, String)>,
    /// What is wrong and what to do, in one line that names the file.
    pub message: String,
    /// All that is known about it, where that is more.
    pub detail: Option<String>,
}

/// Why a name stands for nothing.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NameError {
    /// No plugin has this name.
    #[error("there is no {wanted} `{name}`{}; there are: {}", suggestion(nearest), known.join(", "))]
    Unknown {
        /// What was asked for.
        wanted: String,
        /// The name.
        name: String,
        /// The name that was perhaps meant.
        nearest: Option<String>,
        /// All that there are.
        known: Vec<String>,
    },
    /// Two libraries claim it.
    #[error("{0}")]
    Ambiguous(String),
}

fn suggestion(nearest: &Option<String>) -> String {
    nearest.as_ref().map(|n| format!(" (did you mean `{n}`?)")).unwrap_or_default()
}

/// Why nothing could be built from a spec.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SpecRefused {
    /// Its name stands for nothing.
    #[error(transparent)]
    Name(#[from] NameError),
    /// Its fields are wrong.
    #[error("{kind} `{name}`: {error}")]
    Fields {
        /// What should have been built.
        kind: Kind,
        /// Its name.
        name: String,
        /// What is wrong, where, and what is allowed.
        error: SpecError,
    },
    /// The plugin failed while it built.
    #[error("{0}; see `runner plugins doctor`")]
    Fault(String),
}

/// A game, built.
#[derive(Clone, Debug)]
pub struct LoadedGame {
    /// The rules.
    pub rules: Arc<DynGame>,
    /// The name.
    pub name: String,
    /// The plugin's version.
    pub version: String,
    /// The spec, defaults included.
    pub spec: Spec,
    /// Kind, name and file: who is to blame for its faults.
    pub whose: String,
}

/// A value, built for a game.
#[derive(Clone)]
pub struct LoadedValue {
    /// The estimates.
    pub value: DynValue,
    /// The spec, defaults included.
    pub spec: Spec,
    /// Kind, name and file: who is to blame for its faults.
    pub whose: String,
}

/// An agent, built for a game.
#[derive(Clone)]
pub struct LoadedAgent {
    /// The player.
    pub agent: DynAgent,
    /// The spec, defaults included.
    pub spec: Spec,
    /// Kind, name and file: who is to blame for its faults.
    pub whose: String,
}

#[derive(Clone)]
enum Entry {
    Game(GameEntry),
    Value(ValueEntry),
    Agent(AgentEntry),
}

impl Entry {
    fn identity(&self) -> &Identity {
        match self {
            Entry::Game(entry) => &entry.identity,
            Entry::Value(entry) => &entry.identity,
            Entry::Agent(entry) => &entry.identity,
        }
    }

    fn kind(&self) -> Kind {
        match self {
            Entry::Game(_) => Kind::Game,
            Entry::Value(_) => Kind::Value,
            Entry::Agent(_) => Kind::Agent,
        }
    }
}

struct Known {
    entry: Entry,
    origin: Origin,
    /// The name of the crate that exports it.
    package: String,
    /// Why it cannot be used though it is there.
    ambiguous: Option<String>,
}

impl Known {
    /// Kind, name and file, as guards put them before what a panic says.
    fn whose(&self) -> String {
        format!("{} `{}` ({})", self.entry.kind(), self.entry.identity().name, self.origin)
    }
}

/// The plugins that are known by name.
#[derive(Default)]
pub struct Registry {
    known: Vec<Known>,
    problems: Vec<Problem>,
    /// Names of library files that were seen, so that a copy in a later folder is
    /// not taken for a rival.
    seen: BTreeSet<OsString>,
}

impl Registry {
    /// An empty registry.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the plugins of a crate that is linked into the program. The library of
    /// the same crate, if it is found later, takes their place.
    pub fn link(&mut self, root: RootRef) {
        // SAFETY: the root is of this program's own build.
        let contents = unsafe {
            root.loaded_from()(RStr::from_str(""));
            root.contents()()
        };
        let package: String = root.package().into();
        match contents.into_result() {
            Ok(contents) => self.add(Loaded { package, contents }, &Origin::Linked),
            Err(fault) => self.problems.push(Problem {
                message: one_line(&format!("{package} (built in): {fault}")),
                file: package.into(),
                plugin: None,
                detail: None,
            }),
        }
    }

    /// Loads what lies in the given places.
    pub fn search(&mut self, path: &SearchPath) {
        for place in &path.explicit {
            if place.is_dir() {
                self.load_folder(place, true);
            } else {
                self.load_file(place);
            }
        }
        for folder in &path.usual {
            self.load_folder(folder, false);
        }
    }

    fn load_folder(&mut self, folder: &Path, must_exist: bool) {
        let names = std::fs::read_dir(folder).and_then(|entries| {
            entries.map(|entry| Ok(entry?.file_name())).collect::<std::io::Result<BTreeSet<_>>>()
        });
        match names {
            Ok(names) => {
                for name in names {
                    if name.to_str().is_some_and(is_plugin_name) && !self.seen.contains(&name) {
                        self.load_file(&folder.join(name));
                    }
                }
            }
            Err(error) if !must_exist && error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => self.problems.push(Problem {
                file: folder.to_owned(),
                plugin: None,
                message: format!("{}: cannot be read: {error}; check the path", folder.display()),
                detail: None,
            }),
        }
    }

    /// Loads one library, or notes what is wrong with it.
    pub fn load_file(&mut self, file: &Path) {
        self.seen.extend(file.file_name().map(ToOwned::to_owned));
        match load::load(file) {
            Ok(loaded) => self.add(loaded, &Origin::File(file.to_owned())),
            Err(error) => self.problems.push(Problem {
                file: file.to_owned(),
                plugin: None,
                message: one_line(&error),
                detail: error.detail,
            }),
        }
    }

    fn add(&mut self, Loaded { package, contents }: Loaded, origin: &Origin) {
        let games = contents.games.into_iter().map(Entry::Game);
        let values = contents.values.into_iter().map(Entry::Value);
        let agents = contents.agents.into_iter().map(Entry::Agent);
        for entry in games.chain(values).chain(agents) {
            let (origin, package) = (origin.clone(), package.clone());
            self.add_entry(Known { entry, origin, package, ambiguous: None });
        }
    }

    fn add_entry(&mut self, new: Known) {
        let (kind, name) = (new.entry.kind(), new.entry.identity().name);
        // A value can stand where an agent is expected, so these share their names.
        let rival = self.known.iter_mut().find(|known| {
            (known.entry.kind() == Kind::Game) == (kind == Kind::Game)
                && known.entry.identity().name == name
        });
        let Some(rival) = rival else { return self.known.push(new) };
        if rival.origin == Origin::Linked && rival.package == new.package {
            // A name that another claims besides stays ambiguous.
            *rival = Known { ambiguous: rival.ambiguous.take(), ..new };
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
        let file = match new.origin {
            Origin::File(file) => file,
            Origin::Linked => new.package.into(),
        };
        let plugin = Some((kind, name.to_string()));
        self.problems.push(Problem { file, plugin, message, detail: None });
    }

    /// What could not be loaded or used.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// All plugins that can be used, by kind and name.
    pub fn plugins(&self) -> Vec<PluginInfo> {
        let mut list: Vec<PluginInfo> =
            self.known.iter().filter(|known| known.ambiguous.is_none()).map(info).collect();
        list.sort_by(|a, b| (a.kind, &a.name).cmp(&(b.kind, &b.name)));
        list
    }

    fn find(&self, wanted: &str, kinds: &[Kind], name: &str) -> Result<&Known, NameError> {
        let of_kind = || self.known.iter().filter(|known| kinds.contains(&known.entry.kind()));
        match of_kind().find(|known| known.entry.identity().name == name) {
            Some(Known { ambiguous: Some(message), .. }) => {
                Err(NameError::Ambiguous(message.clone()))
            }
            Some(known) => Ok(known),
            None => {
                let mut known: Vec<String> =
                    of_kind().map(|known| known.entry.identity().name.to_string()).collect();
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

    /// What a name stands for where a player is expected: an agent, or a value.
    pub fn player_kind(&self, name: &str) -> Result<PluginInfo, NameError> {
        self.find("agent", &[Kind::Agent, Kind::Value], name).map(info)
    }

    /// Builds a game.
    pub fn game(&self, spec: &Spec) -> Result<LoadedGame, SpecRefused> {
        let known = self.find("game", &[Kind::Game], spec.name())?;
        let Entry::Game(entry) = &known.entry else { unreachable!("a game was asked for") };
        let text = spec.to_string();
        // SAFETY: the entry came with a root whose layout was checked.
        let built = unsafe { (entry.build)(RStr::from_str(&text)) };
        let built = built.into_result().map_err(|error| refused(known, spec, error))?;
        // SAFETY: it was built for this call.
        let rules = unsafe { DynGame::own(built.object) }
            .map_err(|fault| SpecRefused::Fault(format!("{}: {fault}", known.whose())))?;
        Ok(LoadedGame {
            rules: Arc::new(rules),
            name: entry.identity.name.into(),
            version: entry.identity.version.into(),
            spec: resolved(&built.spec)?,
            whose: known.whose(),
        })
    }

    /// Builds a value for a game.
    pub fn value(
        &self,
        spec: &Spec,
        game: &LoadedGame,
        host: &Arc<HostShare>,
    ) -> Result<LoadedValue, SpecRefused> {
        let known = self.find("value", &[Kind::Value], spec.name())?;
        let Entry::Value(entry) = &known.entry else { unreachable!("a value was asked for") };
        let built = at_site(spec, game, host, entry.build);
        let built = built.map_err(|error| refused(known, spec, error))?;
        // SAFETY: it was built for this call.
        let value = unsafe { DynValue::own(built.object) };
        Ok(LoadedValue { value, spec: resolved(&built.spec)?, whose: known.whose() })
    }

    /// Builds an agent for a game.
    pub fn agent(
        &self,
        spec: &Spec,
        game: &LoadedGame,
        host: &Arc<HostShare>,
    ) -> Result<LoadedAgent, SpecRefused> {
        let known = self.find("agent", &[Kind::Agent], spec.name())?;
        let Entry::Agent(entry) = &known.entry else { unreachable!("an agent was asked for") };
        let built = at_site(spec, game, host, entry.build);
        let built = built.map_err(|error| refused(known, spec, error))?;
        // SAFETY: it was built for this call.
        let agent = unsafe { DynAgent::own(built.object) };
        Ok(LoadedAgent { agent, spec: resolved(&built.spec)?, whose: known.whose() })
    }
}

impl Registry {
    /// What the first learner that knows it says of a file that is no model of this
    /// program; nothing if none does. All of it is read and checked if it is to be
    /// `whole`.
    pub fn foreign(&self, file: &Path, whole: bool) -> Result<Option<ForeignModel>, Fault> {
        let path = utf8(file)?;
        for known in &self.known {
            let Entry::Value(ValueEntry { learner: ROption::RSome(learner), .. }) = &known.entry
            else {
                continue;
            };
            // SAFETY: the entry came with a root whose layout was checked.
            let told = unsafe { (learner.foreign)(path, whole) };
            let told = told.into_result().map_err(|fault| Fault(fault.into()))?;
            if let ROption::RSome(text) = told {
                let wrong = |error| Fault::new(format!("{}: {error}", known.whose()));
                return ron::from_str(&text).map(Some).map_err(wrong);
            }
        }
        Ok(None)
    }
}

type BuildAtSite<T> =
    unsafe extern "C" fn(
        RStr<'_>,
        &BuildSite<'_>,
    ) -> abi_stable::std_types::RResult<abi::Built<T>, BuildRefused>;

fn at_site<T>(
    spec: &Spec,
    game: &LoadedGame,
    host: &Arc<HostShare>,
    build: BuildAtSite<T>,
) -> Result<abi::Built<T>, BuildRefused> {
    let (text, game_spec) = (spec.to_string(), game.spec.to_string());
    let site = BuildSite {
        game: game.rules.object(),
        game_spec: RStr::from_str(&game_spec),
        host: host.object(),
    };
    // SAFETY: the site's objects live for this call, and the entry came with a
    // root whose layout was checked.
    unsafe { build(RStr::from_str(&text), &site) }.into_result()
}

fn info(known: &Known) -> PluginInfo {
    let identity = known.entry.identity();
    PluginInfo {
        kind: known.entry.kind(),
        name: identity.name.into(),
        about: identity.about.into(),
        version: identity.version.into(),
        // A list that cannot be read costs its help, nothing else.
        parameters: ron::from_str(&identity.parameters).unwrap_or_default(),
        origin: known.origin.clone(),
        learner: matches!(&known.entry, Entry::Value(value) if value.learner.is_some()),
    }
}

/// The error of a builder, in words that say which parameter and what is allowed.
fn refused(known: &Known, spec: &Spec, error: BuildRefused) -> SpecRefused {
    if error.fault {
        let (whose, fault) = (known.whose(), String::from(error.message));
        // A fault that was raised, and not a panic, does not say whose it is.
        let named = fault.starts_with(&format!("{} `", known.entry.kind()));
        return SpecRefused::Fault(if named { fault } else { format!("{whose}: {fault}") });
    }
    let error = SpecError {
        message: error.message.into(),
        text: spec.to_string(),
        span: error.span.start..error.span.end,
        allowed: error.allowed.into_iter().map(Into::into).collect(),
    };
    let (kind, name) = (known.entry.kind(), spec.name().to_owned());
    SpecRefused::Fields { kind, name, error }
}

fn resolved(spec: &str) -> Result<Spec, SpecRefused> {
    spec.parse().map_err(|error| SpecRefused::Fault(format!("the resolved spec is wrong: {error}")))
}
