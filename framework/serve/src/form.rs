//! The plugins' descriptions of themselves, for the forms of the page.

use super::permits::Permits;
use runner_play::registry::Registry;
use runner_plugin::PluginInfo;
use runner_spec::{Kind, Parameter};
use serde::Serialize;

/// A plugin, as the page shows it.
#[derive(Serialize)]
pub struct PluginForm {
    name: String,
    about: String,
    /// `game`, `value` or `agent`.
    kind: String,
    learner: bool,
    parameters: Vec<Entry>,
}

#[derive(Serialize)]
struct Entry {
    name: String,
    about: String,
    default: String,
    allowed: String,
    field: Field,
    /// Values with names of files that the command line permits, as RON text.
    permitted: Vec<String>,
}

pub fn plugins(registry: &Registry, permits: &Permits) -> Vec<PluginForm> {
    registry.plugins().into_iter().map(|info| plugin(info, permits)).collect()
}

fn plugin(info: PluginInfo, permits: &Permits) -> PluginForm {
    let PluginInfo { kind, name, about, parameters, learner, .. } = info;
    let entry = |parameter: Parameter| {
        let field = Field::of(&parameter.allowed.kind);
        let permitted = permits.values(&name, &parameter.name);
        let (allowed, default) = (parameter.allowed(), parameter.default().to_owned());
        let Parameter { name, about, .. } = parameter;
        Entry { name, about, default, allowed, field, permitted }
    };
    let parameters = parameters.into_iter().map(entry).collect();
    PluginForm { name, about, kind: kind.to_string(), learner, parameters }
}

/// How a parameter is entered: `flag`, `choice` (one of the options), `quantity` (a text in quotes that is
/// a time or a size, or one of the options), `game`, `value` or `player` (one with its parameters), or
/// `text`. Options and texts are RON.
#[derive(Serialize)]
struct Field {
    kind: &'static str,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    options: Vec<String>,
}

impl Field {
    fn of(kind: &Kind) -> Self {
        let (kind, options) = match kind {
            Kind::Flag => ("flag", &[][..]),
            Kind::Words(words) => ("choice", &words[..]),
            Kind::Time => ("quantity", &[][..]),
            Kind::Size { words, .. } => ("quantity", &words[..]),
            Kind::Game => ("game", &[][..]),
            Kind::Value => ("value", &[][..]),
            Kind::Player => ("player", &[][..]),
            Kind::Whole(_)
            | Kind::Number(_)
            | Kind::Text
            | Kind::List(_)
            | Kind::Schedule(_)
            | Kind::Other => ("text", &[][..]),
        };
        Self { kind, options: options.to_vec() }
    }
}
