//! The game and the player of a command: those of its options, of a model, or the defaults.

use super::ResourceOptions;
use crate::linked::Linked;
use crate::notes::while_loading;
use clap::Args;
use runner_console::notes::note;
use runner_core::{Spec, SpecError};
use runner_files::Header;
use runner_play::failure::Failure;
use runner_play::registry::{LoadedGame, Registry};
use runner_play::setting::{Resources, Setting};
use runner_play::threads::Threads;
use runner_play::{learners, models};
use runner_plugin::PluginKind;
use std::path::Path;
use std::sync::Arc;

/// The game and its player.
#[derive(Debug, Clone, Default, Args)]
pub struct PlayerOptions {
    /// Game, like threes or '2048(rows: 3, cols: 4)' [default: that of the player's model, or else
    /// 2048]
    #[arg(long, value_name = "SPEC")]
    pub game: Option<Spec>,
    /// Player: an agent, or a value, which is played greedily, or the file of a model
    #[arg(long, value_name = "SPEC", value_parser = models::player)]
    pub agent: Option<Spec>,
}

impl PlayerOptions {
    /// Returns the game of the options, or else that of the player's model, or else the default.
    pub fn game(&self, linked: &Linked) -> Result<Spec, Failure> {
        game_or_default(self.game.as_ref(), &self.agent, linked)
    }

    /// Returns the options with a game.
    pub fn with_game(&self, linked: &Linked) -> Result<Self, Failure> {
        Ok(Self { game: Some(self.game(linked)?), agent: self.agent.clone() })
    }

    /// Returns the options with a game and a player: the strongest one of the game if none is
    /// named.
    pub fn completed(&self, registry: &Registry, linked: &Linked) -> Result<Self, Failure> {
        let game = self.game(linked)?;
        let agent = agent_or_strongest(self.agent.as_ref(), &registry.game(&game)?, linked)?;
        Ok(Self { game: Some(game), agent: Some(agent) })
    }

    /// Builds the game, which the options have, and the player.
    pub fn setting(
        &self,
        resources: &ResourceOptions,
        registry: &Arc<Registry>,
    ) -> Result<Setting, Failure> {
        let (Some(game), Some(agent)) = (&self.game, &self.agent) else {
            return Err(missing_agent(registry));
        };
        let resources = Resources { threads: resources.threads(), seed: resources.seed() };
        while_loading(agent, || Setting::new(game, agent, resources, registry))
    }

    /// Reads the header of a model, and all of the file if `whole` is set. Returns `None` if only
    /// the learner can read the file and the options name game and learner.
    pub fn describe(
        &self,
        model: &Path,
        whole: bool,
        registry: &Registry,
    ) -> Result<Option<Header>, Failure> {
        match models::describe(model, whole, registry)? {
            None if self.game.is_none() || self.agent.is_none() => Err(not_a_model(model)),
            header => Ok(header),
        }
    }

    /// Builds the game and the learner of a model. An error in its header names the file.
    pub fn setting_of(
        &self,
        model: &Path,
        header: &Header,
        resources: &ResourceOptions,
        registry: &Arc<Registry>,
    ) -> Result<Setting, Failure> {
        let game_spec = named_or_stated(self.game.as_ref(), &header.game, model)?;
        let agent = named_or_stated(self.agent.as_ref(), &header.spec, model)?;
        let threads = Threads::new(resources.threads())?;
        let game = registry.game(&game_spec).map_err(|failure| match self.game {
            None => Failure::in_file(model, failure),
            Some(_) => failure,
        })?;
        let setting = Setting::of_game(game, &agent, threads, resources.seed(), registry);
        setting.map_err(|failure| match (&self.game, &self.agent) {
            (None, None) => Failure::in_file(model, failure),
            // The game that was typed may be the wrong one.
            (Some(_), None) => failure.of(&model.display().to_string()),
            (_, Some(_)) => failure,
        })
    }
}

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
fn missing_agent(registry: &Registry) -> Failure {
    let mut players = registry.plugins();
    players.retain(|plugin| plugin.kind != PluginKind::Game);
    let names: Vec<_> = players.into_iter().map(|player| player.name).collect();
    Failure::usage(format!("--agent is missing; there are: {}", names.join(", ")))
}

/// Returns the error of a file that no learner recognises.
pub fn not_a_model(file: &Path) -> Failure {
    Failure::failed(format!(
        "{} is not a model: unknown file type. If only its learner reads this format, name game \
         and learner with --game and --agent",
        file.display()
    ))
}

/// Returns the error of a model, of another program, that does not name its game and learner.
pub fn nameless(file: &Path) -> Failure {
    Failure::usage(format!(
        "{} does not name its game and learner; name them with --game and --agent",
        file.display()
    ))
}

/// Returns the spec that the options name, or else the one that the model states.
fn named_or_stated(named: Option<&Spec>, stated: &str, model: &Path) -> Result<Spec, Failure> {
    match named {
        Some(spec) => Ok(spec.clone()),
        None if stated.is_empty() => Err(nameless(model)),
        None => stated.parse().map_err(|error: SpecError| Failure::in_file(model, error)),
    }
}
