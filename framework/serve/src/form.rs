//! The plugins' descriptions of themselves, for the forms of the page.

use super::permits::Permits;
use runner_plugin::{Kind, PluginInfo, Registry};
use runner_spec::{Kind as ParameterKind, Parameter};
use serde::Serialize;

/// A plugin, as the page shows it.
#[derive(Debug, Serialize)]
pub struct Plugin {
    name: String,
    about: String,
    /// `game`, `value` or `agent`.
    kind: &'static str,
    learner: bool,
    parameters: Vec<Entry>,
}

#[derive(Debug, Serialize)]
struct Entry {
    name: String,
    about: String,
    default: String,
    allowed: String,
    field: Field,
    /// Values with names of files that the command line permits, as RON text.
    permitted: Vec<String>,
}

pub fn plugins(registry: &Registry, permits: &Permits) -> Vec<Plugin> {
    registry.plugins().into_iter().map(|info| plugin(info, permits)).collect()
}

fn plugin(info: PluginInfo, permits: &Permits) -> Plugin {
    let PluginInfo { kind, name, about, parameters, learner, .. } = info;
    let entry = |parameter: Parameter| {
        let field = Field::of(&parameter.allowed.kind);
        let permitted = permits.values(&name, &parameter.name);
        let (allowed, default) = (parameter.allowed(), parameter.default().to_owned());
        let Parameter { name, about, .. } = parameter;
        Entry { name, about, default, allowed, field, permitted }
    };
    let parameters = parameters.into_iter().map(entry).collect();
    let kind = match kind {
        Kind::Game => "game",
        Kind::Value => "value",
        Kind::Agent => "agent",
    };
    Plugin { name, about, kind, learner, parameters }
}

/// How a parameter is entered.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
enum Field {
    /// True or false.
    Flag,
    /// One of these, as RON text.
    Choice {
        /// The alternatives.
        options: Vec<String>,
    },
    /// A text in quotes that is a time or a size.
    Quantity {
        /// Words that are allowed instead, as RON text.
        options: Vec<String>,
    },
    /// A game with its parameters.
    Game,
    /// A value with its parameters.
    Value,
    /// An agent or a value with its parameters.
    Player,
    /// RON text.
    Text,
}

impl Field {
    fn of(kind: &ParameterKind) -> Self {
        match kind {
            ParameterKind::Flag => Self::Flag,
            ParameterKind::Words(words) => Self::Choice { options: words.clone() },
            ParameterKind::Time => Self::Quantity { options: Vec::new() },
            ParameterKind::Size { words, .. } => Self::Quantity { options: words.clone() },
            ParameterKind::Game => Self::Game,
            ParameterKind::Value => Self::Value,
            ParameterKind::Player => Self::Player,
            ParameterKind::Whole(_)
            | ParameterKind::Number(_)
            | ParameterKind::Text
            | ParameterKind::List(_)
            | ParameterKind::Schedule(_)
            | ParameterKind::Other => Self::Text,
        }
    }
}
