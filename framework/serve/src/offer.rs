//! The players that the page offers for a game.

use super::lobby::Lobby;
use runner_play::brief;
use runner_play::learners;
use runner_play::registry::LoadedGame;
use runner_plugin::{PluginInfo, PluginKind};
use runner_spec::Spec;
use serde::Serialize;

/// Returns players of a game from the strongest to a beginner, with their mean scores.
pub type Levels = fn(game: &str) -> [(&'static str, Option<u32>); 4];

const LEVELS: [&str; 4] = ["Strongest", "Strong", "Medium", "Beginner"];

/// A player that is chosen by a name.
#[derive(Serialize)]
pub struct Choice {
    name: String,
    agent: String,
    /// Mean score, if it was measured.
    mean: Option<u32>,
}

#[derive(Serialize)]
pub struct Offer {
    levels: Vec<Choice>,
    /// The players of the command line, and of models, that play this game.
    models: Vec<Choice>,
}

impl Offer {
    pub fn of(game: &LoadedGame, levels: Levels, agents: &[Spec], lobby: &Lobby) -> Self {
        let mut offer = Self { levels: Vec::new(), models: Vec::new() };
        for (name, (agent, mean)) in LEVELS.into_iter().zip(levels(&game.spec.to_string())) {
            offer.levels.push(Choice { name: name.to_owned(), agent: agent.to_owned(), mean });
        }
        for spec in agents {
            let agent = spec.to_string();
            let is_level = offer.levels.iter().any(|level| level.agent == agent);
            let plays = match learners::game_of(spec) {
                Some(Ok(own)) => lobby.registry.game(&own).is_ok_and(|own| own.spec == game.spec),
                Some(Err(_)) => false,
                None => true,
            };
            if !is_level && plays {
                offer.models.push(Choice { name: brief::words(spec), agent, mean: None });
            }
        }
        offer
    }
}

/// Returns the names of the plugins that play a game with nothing but their defaults, or with the
/// files that the command line names. It builds those that need no file.
pub fn playing(game: &LoadedGame, lobby: &Lobby) -> Vec<String> {
    let mut names = Vec::new();
    for PluginInfo { name, kind, learner, parameters, .. } in lobby.registry.plugins() {
        if kind == PluginKind::Game {
            continue;
        }
        let mut permitted = parameters.iter().flat_map(|p| lobby.permits.values(&name, &p.name));
        if permitted.next().is_some() || !learner && lobby.player(&name, game).is_ok() {
            names.push(name);
        }
    }
    names
}
