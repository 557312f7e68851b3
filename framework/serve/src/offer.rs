//! The players that the page offers for a game.

use super::api::Server;
use super::lobby::Lobby;
use runner_play::brief;
use runner_play::learners;
use runner_play::registry::LoadedGame;
use runner_plugin::{PluginInfo, PluginKind};
use serde::Serialize;

/// Returns players of a game in the order of [`LEVELS`]: the spec of each, and its mean score if
/// that was measured. `game` is the complete spec of the game.
pub type Levels = fn(game: &str) -> [(&'static str, Option<u32>); 4];

const LEVELS: [&str; 4] = ["Strongest", "Strong", "Medium", "Beginner"];

/// A player that the page offers.
#[derive(Serialize)]
pub struct Choice {
    /// Name of the level, or the player in words.
    name: String,
    agent: String,
    /// Mean score, if it was measured.
    mean: Option<u32>,
}

#[derive(Serialize)]
pub struct Offer {
    levels: Vec<Choice>,
    /// The players of the command line and of trained models that play this game and are no level.
    models: Vec<Choice>,
}

impl Offer {
    pub fn of(game: &LoadedGame, server: &Server) -> Self {
        let mut offer = Self { levels: Vec::new(), models: Vec::new() };
        let levels = (server.levels)(&game.spec.to_string());
        for (name, (agent, mean)) in LEVELS.into_iter().zip(levels) {
            offer.levels.push(Choice { name: name.to_owned(), agent: agent.to_owned(), mean });
        }
        for spec in server.agents.iter().chain(&server.model_players) {
            let agent = spec.to_string();
            let is_level = offer.levels.iter().any(|level| level.agent == agent);
            let plays = match learners::game_of(spec) {
                Some(Ok(model_game)) => {
                    let built = server.lobby.registry.game(&model_game);
                    built.is_ok_and(|built| built.spec == game.spec)
                }
                Some(Err(_)) => false,
                // A player without a model may play every game.
                None => true,
            };
            if !is_level && plays {
                offer.models.push(Choice { name: brief::words(spec), agent, mean: None });
            }
        }
        offer
    }
}

/// Returns the names of the plugins that can play a game with files that the command line names, or
/// else with their defaults. Only the latter are built; a learner without a file has no model.
pub fn playing(game: &LoadedGame, lobby: &Lobby) -> Vec<String> {
    let mut names = Vec::new();
    for PluginInfo { name, kind, learner, parameters, .. } in lobby.registry.plugins() {
        if kind == PluginKind::Game {
            continue;
        }
        let has_files = parameters.iter().any(|p| !lobby.permits.values(&name, &p.name).is_empty());
        if has_files || !learner && lobby.player(&name, game).is_ok() {
            names.push(name);
        }
    }
    names
}
