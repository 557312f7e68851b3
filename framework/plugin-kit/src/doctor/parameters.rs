//! Tests the list of parameters that a plugin declares.

use runner_play::threads::{Services, Threads};
use runner_plugin::{Kind, LoadedGame, PluginInfo, Registry, SpecRefused};
use runner_spec::Spec;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Compares the parameters that a plugin lists with those that it takes, which the refusal
/// of an unknown parameter names, and with those of its presets. Values and agents need a game
/// for the former.
pub fn check(
    plugin: &PluginInfo,
    registry: &Arc<Registry>,
    game: Option<&LoadedGame>,
    threads: &Threads,
) -> Result<(), String> {
    check_presets(plugin)?;
    let unknown = format!("{}(no_such_parameter: 0)", plugin.name);
    let unknown: Spec = unknown.parse().map_err(|error| format!("{error}"))?;
    let refused = match (plugin.kind, game) {
        (Kind::Game, _) => registry.game(&unknown).err(),
        (_, None) => return Ok(()),
        (kind, Some(game)) => {
            let host = Services::new(threads, registry, game).share();
            match kind {
                Kind::Value => registry.value(&unknown, game, &host).err(),
                _ => registry.agent(&unknown, game, &host).err(),
            }
        }
    };
    let error = match refused {
        Some(SpecRefused::Fields { error, .. }) => error,
        Some(other) => return Err(other.to_string()),
        None => {
            return Err("an unknown parameter is accepted: give the configuration \
                        #[serde(deny_unknown_fields)]"
                .into());
        }
    };
    let taken: BTreeSet<&str> = error.allowed.iter().map(String::as_str).collect();
    let listed: BTreeSet<&str> = plugin.parameters.iter().map(|p| p.name.as_str()).collect();
    match taken.symmetric_difference(&listed).next() {
        Some(name) if taken.contains(name) => Err(format!("`{name}` is accepted and not listed")),
        Some(name) => Err(format!("`{name}` is listed and not accepted")),
        None => Ok(()),
    }
}

/// Checks that the presets can be read and set parameters that are listed.
fn check_presets(plugin: &PluginInfo) -> Result<(), String> {
    for preset in &plugin.presets {
        let wrong = |message: String| format!("preset `{}`: {message}", preset.name);
        for name in preset.parameters().map_err(|error| wrong(error.to_string()))? {
            if !plugin.parameters.iter().any(|parameter| parameter.name == name) {
                return Err(wrong(format!("there is no parameter `{name}`")));
            }
        }
    }
    Ok(())
}
