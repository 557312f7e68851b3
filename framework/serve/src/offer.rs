//! The players that the page offers for a game.

use super::lobby::Lobby;
use runner_play::brief;
use runner_play::failure::Failure;
use runner_play::learners;
use runner_play::registry::LoadedGame;
use runner_plugin::PluginKind;
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
        let levels = levels(&game.spec.to_string());
        let is_level = |agent: &Spec| levels.iter().any(|level| level.0 == agent.to_string());
        let plays = |agent: &Spec| match learners::game_of(agent) {
            Some(Ok(own)) => lobby.registry.game(&own).is_ok_and(|own| own.spec == game.spec),
            Some(Err(_)) => false,
            None => true,
        };
        let models = agents.iter().filter(|agent| !is_level(agent) && plays(agent));
        let models = models.map(|agent| Choice {
            name: brief::words(agent),
            agent: agent.to_string(),
            mean: None,
        });
        let choice = |(name, (agent, mean)): (&str, (&str, _))| Choice {
            name: name.to_owned(),
            agent: agent.to_owned(),
            mean,
        };
        Self {
            models: models.collect(),
            levels: LEVELS.into_iter().zip(levels).map(choice).collect(),
        }
    }
}

/// Returns the names of the plugins that play a game with nothing but their defaults, or with the files
/// that the command line names. It builds those that need no file.
pub fn playing(game: &LoadedGame, lobby: &Lobby) -> Vec<String> {
    let plugins = lobby.registry.plugins().into_iter();
    let players = plugins.filter(|plugin| plugin.kind != PluginKind::Game);
    let plays = players.filter(|plugin| {
        let mut parameters = plugin.parameters.iter();
        let is_permitted = parameters
            .any(|parameter| !lobby.permits.values(&plugin.name, &parameter.name).is_empty());
        let builds = || -> Result<(), Failure> { lobby.player(&plugin.name, game).map(drop) };
        is_permitted || !plugin.learner && builds().is_ok()
    });
    plays.map(|plugin| plugin.name).collect()
}
