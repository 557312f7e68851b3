//! Reads models for `runner model`. The program knows some formats. Other files need a learner: one
//! that recognises the file, or the one that the options name.

use super::options::ModelReader;
use crate::options::{ResourceOptions, nameless, not_a_model};
use runner_core::Learner;
use runner_files::Header;
use runner_play::failure::Failure;
use runner_play::models;
use runner_play::registry::Registry;
use runner_play::setting::Setting;
use runner_plugin::DynValue;
use std::path::Path;
use std::sync::Arc;

/// Returns the header of a model. With `whole`, all of the file is read and checked.
pub fn describe(
    file: &Path,
    whole: bool,
    options: &ModelReader,
    registry: &Arc<Registry>,
) -> Result<Header, Failure> {
    let players = options.players();
    if let Some(header) = players.describe(file, whole, registry)? {
        return Ok(header);
    }
    // Only the learner that the options name can read the file.
    let setting = players.setting(&ResourceOptions::default(), registry)?;
    let learner = learner(&setting)?;
    learner.load(&[file])?;
    let progress = models::progress(learner)?;
    let header = Header {
        kind: format!("model of `{}`", setting.player.spec.name()),
        game: setting.game.spec.to_string(),
        spec: setting.player.spec.to_string(),
        ..Header::default()
    };
    Ok(header
        .with(models::MOVES, progress.moves)
        .with("episodes", progress.episodes)
        .with("seconds", progress.elapsed.as_secs_f64()))
}

/// Builds the learner that the options name, or else the one of the first model that names its
/// learner.
pub fn of_models(
    files: &[&Path],
    options: &ModelReader,
    registry: &Arc<Registry>,
) -> Result<Setting, Failure> {
    let (players, resources) = (options.players(), ResourceOptions::default());
    if players.game.is_some() && players.agent.is_some() {
        return players.setting(&resources, registry);
    }
    let mut first_problem = None;
    for file in files {
        let problem = match models::describe(file, false, registry)? {
            None => not_a_model(file),
            Some(header) if header.spec.is_empty() => nameless(file),
            Some(header) => return players.setting_of(file, &header, &resources, registry),
        };
        first_problem.get_or_insert(problem);
    }
    Err(first_problem.unwrap_or_else(|| Failure::usage("no model is named")))
}

/// Returns the learner, if the player is one.
pub fn learner(setting: &Setting) -> Result<&DynValue, Failure> {
    setting.player.learner().ok_or_else(|| {
        let name = setting.player.spec.name();
        Failure::usage(format!("`{name}` has no models: it is not a learner"))
    })
}
