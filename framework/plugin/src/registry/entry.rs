//! A registered plugin: what it is, where it came from, how it is built.

use crate::abi::library::{Builder, Identity};
use runner_core::{Fault, Parameter, Preset};
use std::fmt;
use std::path::PathBuf;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    Game,
    Value,
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

impl From<&Builder> for Kind {
    fn from(builder: &Builder) -> Self {
        match builder {
            Builder::Game(_) => Kind::Game,
            Builder::Value(_) | Builder::Learner(..) => Kind::Value,
            Builder::Agent(_) => Kind::Agent,
        }
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
            Origin::Linked => f.write_str("built in"),
            Origin::File(path) => path.display().fmt(f),
        }
    }
}

/// Facts about a plugin.
#[derive(Clone, Debug)]
pub struct PluginInfo {
    pub kind: Kind,
    /// The name by which it is built.
    pub name: String,
    /// Its description, in one line.
    pub about: String,
    pub version: String,
    /// Its parameters, and `preset` if it has presets.
    pub parameters: Vec<Parameter>,
    pub presets: Vec<Preset>,
    pub origin: Origin,
    pub learner: bool,
}

/// A plugin that is known by name.
#[derive(Clone)]
pub struct Registered {
    pub info: PluginInfo,
    pub builder: Builder,
    /// The name of the crate that exports it.
    pub package: String,
    /// The reason why it cannot be used, if another library has a plugin with its name.
    pub ambiguous: Option<String>,
}

impl Registered {
    pub fn new(identity: Identity, builder: Builder, origin: &Origin, package: &str) -> Self {
        let Identity { name, about, version, mut parameters, presets } = identity;
        if !presets.is_empty() {
            parameters.insert(0, preset_parameter(&presets));
        }
        let (kind, origin) = (Kind::from(&builder), origin.clone());
        let learner = matches!(builder, Builder::Learner(..));
        let info = PluginInfo { kind, name, about, version, parameters, presets, origin, learner };
        Self { info, builder, package: package.to_owned(), ambiguous: None }
    }

    /// Returns kind, name and file, as guards put them before the message of a panic.
    pub fn label(&self) -> String {
        let PluginInfo { kind, name, origin, .. } = &self.info;
        format!("{kind} `{name}` ({origin})")
    }

    /// Returns the message of a fault with the plugin's label. A panic's message has the
    /// label already.
    pub fn attribute(&self, fault: &Fault) -> String {
        if fault.0.starts_with(&format!("{} `", self.info.kind)) {
            fault.0.clone()
        } else {
            format!("{}: {fault}", self.label())
        }
    }
}

/// Returns the parameter that selects a preset, which the program adds to those of the plugin.
fn preset_parameter(presets: &[Preset]) -> Parameter {
    let names: Vec<_> = presets.iter().map(|preset| format!("\"{}\"", preset.name)).collect();
    let about = "Named set of parameters; parameters beside it take precedence";
    let parameter = Parameter::new(Preset::PARAMETER, &[about], runner_core::Kind::Words(names));
    Parameter { default: "None".to_owned(), ..parameter }
}
