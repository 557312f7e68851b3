//! The game and the learner of a model: those of the options, or else those of its header.

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

/// Returns the error of a model, of another program, that does not name its game and learner.
pub fn nameless(file: &Path) -> Failure {
    Failure::usage(format!(
        "{} does not name its game and learner; name them with --game and --agent",
        file.display()
    ))
}

impl PlayerOptions {
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

/// Returns the spec that the options name, or else the one that the model states.
fn named_or_stated(named: Option<&Spec>, stated: &str, model: &Path) -> Result<Spec, Failure> {
    match named {
        Some(spec) => Ok(spec.clone()),
        None if stated.is_empty() => Err(nameless(model)),
        None => stated.parse().map_err(|error: SpecError| Failure::in_file(model, error)),
    }
}
