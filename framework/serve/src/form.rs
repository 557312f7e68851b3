//! The plugins' descriptions of themselves, for the forms of the page.

use super::permits::Permits;
use runner_play::registry::Registry;
use runner_plugin::PluginInfo;
use runner_spec::{Kind, Parameter};
use serde::Serialize;

#[derive(Serialize)]
pub struct PluginForm {
    name: String,
    about: String,
    /// `game`, `value` or `agent`.
    kind: String,
    learner: bool,
    parameters: Vec<ParameterForm>,
}

#[derive(Serialize)]
struct ParameterForm {
    name: String,
    about: String,
    default: String,
    /// Description of the allowed values.
    allowed: String,
    field: Field,
    /// Values with names of files that the command line permits, as RON.
    permitted: Vec<String>,
}

pub fn plugins(registry: &Registry, permits: &Permits) -> Vec<PluginForm> {
    registry.plugins().into_iter().map(|plugin| form(plugin, permits)).collect()
}

fn form(plugin: PluginInfo, permits: &Permits) -> PluginForm {
    let mut parameters = Vec::new();
    for parameter in plugin.parameters {
        let field = Field::of(&parameter.allowed.kind);
        let permitted = permits.values(&plugin.name, &parameter.name);
        let (allowed, default) = (parameter.allowed(), parameter.default().to_owned());
        let Parameter { name, about, .. } = parameter;
        parameters.push(ParameterForm { name, about, default, allowed, field, permitted });
    }
    let PluginInfo { name, about, kind, learner, .. } = plugin;
    PluginForm { name, about, kind: kind.to_string(), learner, parameters }
}

/// The input of a parameter in a form. The user enters RON.
#[derive(Serialize)]
struct Field {
    /// `flag`; `choice`, one of the options; `quantity`, a time or a size in quotes, or one of the
    /// options; `game`, `value` or `player`, each a spec with its own form; or `text`.
    kind: &'static str,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    options: Vec<String>,
}

impl Field {
    fn of(kind: &Kind) -> Self {
        let (input, options): (_, &[String]) = match kind {
            Kind::Flag => ("flag", &[]),
            Kind::Words(words) => ("choice", words),
            Kind::Time => ("quantity", &[]),
            Kind::Size { words, .. } => ("quantity", words),
            Kind::Game => ("game", &[]),
            Kind::Value => ("value", &[]),
            Kind::Player => ("player", &[]),
            Kind::Whole(_)
            | Kind::Number(_)
            | Kind::Text
            | Kind::List(_)
            | Kind::Schedule(_)
            | Kind::Other => ("text", &[]),
        };
        Self { kind: input, options: options.to_vec() }
    }
}
