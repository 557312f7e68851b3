//! The plugins' descriptions of themselves, for the forms of the page.

use super::field::Field;
use super::permits::Permits;
use runner_plugin::{Kind, PluginInfo, Registry};
use runner_spec::Parameter;
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
