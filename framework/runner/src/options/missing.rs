//! Errors of a command line that names no game or no player.

use crate::linked::Linked;
use runner_console::notes::note;
use runner_core::Spec;
use runner_play::failure::Failure;
use runner_play::registry::{LoadedGame, Registry};
use runner_plugin::PluginKind;

/// Returns the error of a command line that names no game.
pub fn missing_game(registry: &Registry) -> Failure {
    missing("--game", &[PluginKind::Game], registry)
}

/// Returns the player that a command line names, or else the strongest one of the game, with a note.
pub fn agent_or_strongest(
    named: Option<&Spec>,
    game: &LoadedGame,
    linked: &Linked,
) -> Result<Spec, Failure> {
    if let Some(agent) = named {
        return Ok(agent.clone());
    }
    let (agent, about) = (linked.strong_agent)(&game.spec.to_string());
    note(format!("note: the player is `{agent}`, {about}; --agent names another"));
    Ok(agent.parse()?)
}

/// Returns the error of a command line that names no player.
pub fn missing_agent(registry: &Registry) -> Failure {
    missing("--agent", &[PluginKind::Agent, PluginKind::Value], registry)
}

fn missing(flag: &str, wanted: &[PluginKind], registry: &Registry) -> Failure {
    let plugins = registry.plugins();
    let names = plugins.iter().filter(|plugin| wanted.contains(&plugin.kind));
    let names: Vec<_> = names.map(|plugin| plugin.name.as_str()).collect();
    Failure::usage(format!("{flag} is missing; there are: {}", names.join(", ")))
}
