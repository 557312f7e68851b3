//! The plugins of a library: facts about each, and safe functions that build its objects.

use crate::agent::DynAgent;
use crate::boundary::{Object, from_text, path_text};
use crate::game::DynGame;
use crate::host::SharedHost;
use crate::library::{
    BuildInputs, BuildReply, Builder, Identity, ObjectWithSpec, PluginEntry, SpecErrorFields,
};
use crate::value::DynValue;
use runner_core::{Fault, ForeignModel, Kind, Parameter, Preset, Spec, SpecError};
use std::fmt;
use std::path::{Path, PathBuf};

/// The kind of object that a plugin builds. A learner is a value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum PluginKind {
    Game,
    Value,
    Agent,
}

impl fmt::Display for PluginKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Game => "game",
            Self::Value => "value",
            Self::Agent => "agent",
        })
    }
}

/// Where a plugin came from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Origin {
    Linked,
    File(PathBuf),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Linked => f.write_str("built in"),
            Self::File(path) => path.display().fmt(f),
        }
    }
}

/// A plugin of a library that was loaded or is linked in.
#[derive(Clone, Debug)]
pub struct PluginInfo {
    pub kind: PluginKind,
    /// The name by which it is built.
    pub name: String,
    /// Its description, in one line.
    pub about: String,
    pub version: String,
    /// Its parameters. If it has presets, the first one is `preset`, which selects one of them.
    pub parameters: Vec<Parameter>,
    pub presets: Vec<Preset>,
    pub origin: Origin,
    /// The name of the crate that exports it.
    pub package: String,
    /// True for a value that learns.
    pub learner: bool,
    /// Private, so that only functions of libraries whose layout was checked are called.
    builder: Builder,
}

/// The object that was built, with its resolved spec. The inner error says why the spec is
/// refused, the outer one that the plugin failed.
pub type BuildOutcome<T> = Result<Result<(T, Spec), SpecError>, Fault>;

impl PluginInfo {
    pub(crate) fn new(entry: &PluginEntry, package: &str, origin: &Origin) -> Result<Self, String> {
        let &PluginEntry { ref identity, builder } = entry;
        let kind = match builder {
            Builder::Game(_) => PluginKind::Game,
            Builder::Value(_) | Builder::Learner(..) => PluginKind::Value,
            Builder::Agent(_) => PluginKind::Agent,
        };
        let identity: Identity<String> = ron::from_str(identity).map_err(|error| {
            format!(
                "the name and parameters of a {kind} cannot be read: {error}; rebuild it \
                 against this runner's framework"
            )
        })?;
        let (name, about, version, mut parameters, presets) = identity;
        if !presets.is_empty() {
            parameters.insert(0, preset_parameter(&presets));
        }
        Ok(Self {
            kind,
            name,
            about,
            version,
            parameters,
            presets,
            origin: origin.clone(),
            package: package.to_owned(),
            learner: matches!(builder, Builder::Learner(..)),
            builder,
        })
    }

    /// Returns kind, name and file, as the message of a panic begins.
    pub fn label(&self) -> String {
        format!("{} `{}` ({})", self.kind, self.name, self.origin)
    }

    /// Builds a game. This function and the next two panic if the plugin is of another kind.
    pub fn build_game(&self, spec: &Spec, host: &SharedHost) -> BuildOutcome<DynGame> {
        let Builder::Game(build) = self.builder else { panic!("{} is no game", self.kind) };
        let built = build_object(build, spec, None, host, DynGame::new)?;
        if let Ok((game, _)) = &built {
            game.try_description()?;
        }
        Ok(built)
    }

    /// Builds a value for a game with this resolved spec.
    pub fn build_value(
        &self,
        spec: &Spec,
        game: (&DynGame, &Spec),
        host: &SharedHost,
    ) -> BuildOutcome<DynValue> {
        let (Builder::Value(build) | Builder::Learner(build, _)) = self.builder else {
            panic!("{} is no value", self.kind)
        };
        build_object(build, spec, Some(game), host, DynValue::new)
    }

    /// Builds an agent for a game with this resolved spec.
    pub fn build_agent(
        &self,
        spec: &Spec,
        game: (&DynGame, &Spec),
        host: &SharedHost,
    ) -> BuildOutcome<DynAgent> {
        let Builder::Agent(build) = self.builder else { panic!("{} is no agent", self.kind) };
        build_object(build, spec, Some(game), host, DynAgent)
    }

    /// Returns the facts about a model file of another program, or none if this is not a learner
    /// that can load the file. If `whole` is true, the whole file is read and checked.
    pub fn foreign(&self, file: &Path, whole: bool) -> Result<Option<ForeignModel>, Fault> {
        let Builder::Learner(_, foreign) = self.builder else { return Ok(None) };
        let facts = foreign(path_text(file).into(), whole).result()?.into_option();
        Ok(facts.map(|text| from_text(&text)))
    }
}

/// Returns the parameter that selects a preset.
fn preset_parameter(presets: &[Preset]) -> Parameter {
    let names: Vec<_> = presets.iter().map(|preset| format!("\"{}\"", preset.name)).collect();
    let about = "Named set of parameters; parameters beside it take precedence";
    let parameter = Parameter::new(Preset::PARAMETER, &[about], Kind::Words(names));
    Parameter { default: "None".to_owned(), ..parameter }
}

/// Calls the constructor of a plugin, with a game unless it builds one. `proxy` wraps the object.
fn build_object<T, P>(
    build: extern "C" fn(&BuildInputs<'_>) -> BuildReply<T>,
    spec: &Spec,
    game: Option<(&DynGame, &Spec)>,
    host: &SharedHost,
    proxy: fn(Object<T>) -> P,
) -> BuildOutcome<P> {
    let spec_text = spec.to_string();
    let game_spec = game.map(|(_, spec)| spec.to_string()).unwrap_or_default();
    let inputs = BuildInputs {
        spec: spec_text.as_str().into(),
        game: game.map(|(game, _)| &game.object),
        game_spec: game_spec.as_str().into(),
        host: &host.0,
    };
    match build(&inputs).result()?.into_result() {
        Ok(ObjectWithSpec { object, spec }) => match spec.parse() {
            Ok(resolved) => Ok(Ok((proxy(object), resolved))),
            Err(error) => Err(Fault::new(format!("the resolved spec is wrong: {error}"))),
        },
        Err(error) => {
            let (message, text, span, allowed): SpecErrorFields = from_text(&error);
            Ok(Err(SpecError { message, text, span, allowed }))
        }
    }
}
