//! The game and the learner of a model: those that the options name, or else those of its header.

use super::{PlayerOptions, ResourceOptions};
use runner_core::{Spec, SpecError};
use runner_files::Header;
use runner_play::failure::Failure;
use runner_play::models;
use runner_play::registry::Registry;
use runner_play::setting::Setting;
use runner_play::threads::Threads;
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

/// Returns the error of a model that states no game or no learner, as files of other programs do.
pub fn nameless(file: &Path) -> Failure {
    Failure::usage(format!(
        "{} does not name its game and learner; name them with --game and --agent",
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

    /// Builds the game and the learner of a model. An error in its header names the file.
    pub fn setting_of(
        &self,
        model: &Path,
        header: &Header,
        resources: &ResourceOptions,
        registry: &Arc<Registry>,
    ) -> Result<Setting, Failure> {
        let damaged = |failure: Failure| Failure::in_file(model, failure);
        let or = |given: &Option<Spec>, stated: &str| match given {
            None if stated.is_empty() => Err(nameless(model)),
            None => stated.parse().map_err(|error: SpecError| damaged(error.into())),
            Some(spec) => Ok(spec.clone()),
        };
        let (game, agent) = (or(&self.game, &header.game)?, or(&self.agent, &header.spec)?);
        let threads = Threads::new(resources.threads())?;
        let game = registry.game(&game).map_err(|refused| match self.game {
            None => damaged(refused),
            Some(_) => refused,
        })?;
        let setting = Setting::of_game(game, &agent, threads, resources.seed(), registry);
        setting.map_err(|failure| match (&self.game, &self.agent) {
            (None, None) => damaged(failure),
            // The game that was typed may be the wrong one.
            (Some(_), None) => failure.of(&model.display().to_string()),
            (_, Some(_)) => failure,
        })
    }
}
