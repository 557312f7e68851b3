//! The game and the learner of a model: those that the options name, or else those of its header.

use super::{PlayerOptions, ResourceOptions};
use runner_core::Spec;
use runner_files::Header;
use runner_play::failure::Failure;
use runner_play::models;
use runner_play::setting::Setting;
use runner_plugin::Registry;
use std::path::Path;
use std::sync::Arc;

/// Returns the error of a file that no learner recognises.
pub fn not_a_model(file: &Path) -> Failure {
    Failure::failed(format!(
        "{} is not a model: unknown file type. If only its learner reads this format, name game \
         and learner with --game and --agent",
        file.display()
    ))
}

impl PlayerOptions {
    /// Reads the description of a model; `None` if only its learner can read the file and the
    /// options name game and learner.
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

    /// Builds the game and the learner of a model. An error in what its header states names the
    /// file.
    pub fn setting_of(
        &self,
        model: &Path,
        header: &Header,
        resources: &ResourceOptions,
        registry: &Arc<Registry>,
    ) -> Result<Setting, Failure> {
        let stated = |text: &str| -> Result<Option<Spec>, Failure> {
            // A file of another program may state none.
            Ok(if text.is_empty() { None } else { Some(text.parse()?) })
        };
        let named = |given: bool, failure: Failure| match given {
            true => failure,
            false => Failure::in_file(model, format!("its header: {failure}")),
        };
        let or = |given: &Option<Spec>, text: &str| match given {
            None => stated(text).map_err(|failure| named(false, failure)),
            given => Ok(given.clone()),
        };
        let players =
            Self { game: or(&self.game, &header.game)?, agent: or(&self.agent, &header.spec)? };
        let (Some(game), Some(_)) = (&players.game, &players.agent) else {
            return players.setting(resources, registry);
        };
        registry.game(game).map_err(|refused| named(self.game.is_some(), refused.into()))?;
        let setting = players.setting(resources, registry);
        setting.map_err(|failure| named(self.agent.is_some(), failure))
    }
}
