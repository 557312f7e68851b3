//! Defaults for a command line that names no game or no player, or the error if there is none.

use crate::linked::Linked;
use runner_console::notes::note;
use runner_core::Spec;
use runner_play::failure::Failure;
use runner_play::learners;
use runner_play::registry::{LoadedGame, Registry};
use runner_plugin::PluginKind;

/// Returns the `named` game, or else that of the first player with a model, or else the default.
pub fn game_or_default<'a>(
    named: Option<&Spec>,
    players: impl IntoIterator<Item = &'a Spec>,
    linked: &Linked,
) -> Result<Spec, Failure> {
    if let Some(game) = named {
        return Ok(game.clone());
    }
    players.into_iter().find_map(learners::game_of).unwrap_or_else(|| default_game(linked))
}

/// Returns the default game, with a note.
pub fn default_game(linked: &Linked) -> Result<Spec, Failure> {
    let game = linked.example_game;
    note(format!("note: the game is {game}; --game names another"));
    Ok(game.parse()?)
}

/// Returns the `named` player, or else the strongest player of the game with a note.
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
    let plugins = registry.plugins();
    let names = plugins.iter().filter(|plugin| plugin.kind != PluginKind::Game);
    let names: Vec<_> = names.map(|plugin| plugin.name.as_str()).collect();
    Failure::usage(format!("--agent is missing; there are: {}", names.join(", ")))
}
