//! The files that `runner train` reads and writes, by its options.

use super::options::TrainOptions;
use crate::context::Context;
use crate::linked::Linked;
use runner_console::notes::note;
use runner_core::Spec;
use runner_play::failure::Failure;
use runner_play::inputs::InputFiles;
use runner_play::setting::Setting;
use runner_training::{FileOptionNames, JobFiles, ModelSource, RefusedFiles, refuse_missing};
use std::path::PathBuf;

fn refused(files: RefusedFiles) -> Failure {
    let names = FileOptionNames { model: "--model", resume: "--resume", force: "--force" };
    Failure::usage(files.message(names))
}

/// Refuses a model that exists and is neither resumed nor overwritten, before plugins are built.
pub fn refuse_existing(train: &TrainOptions) -> Result<(), Failure> {
    match &train.model {
        Some(model) if !train.resume && !train.force && train.from.is_none() && model.is_file() => {
            Err(refused(RefusedFiles::Exists(model.clone())))
        }
        _ => Ok(()),
    }
}

/// Returns the model to resume, which must exist: that of --model, or the default for the learner.
pub fn resumed(train: &TrainOptions, linked: &Linked) -> Result<PathBuf, Failure> {
    let model = match (&train.model, &train.players.agent) {
        (Some(model), _) => model.clone(),
        (None, Some(agent)) => default_model(&train.players.game(linked)?, agent),
        (None, None) => {
            return Err(Failure::usage(
                "--resume needs a model: name it with --model, or with --agent and --game",
            ));
        }
    };
    refuse_missing(&model).map_err(refused)?;
    Ok(model)
}

/// Returns the files that a training reads, and those of its model. Refuses to overwrite others.
pub fn checked_files(
    train: &TrainOptions,
    setting: &Setting,
    context: &Context,
) -> Result<(InputFiles, JobFiles), Failure> {
    let (game, player) = (&setting.game.spec, &setting.player.spec);
    let model = train.model.clone().unwrap_or_else(|| default_model(game, player));
    let source = match &train.from {
        Some(other) => ModelSource::Other(other.clone()),
        None if train.resume => ModelSource::Resumed(model.clone()),
        None => ModelSource::Nothing,
    };
    let (files, notes) = JobFiles::new(source, model, setting.services.registry())?;
    notes.into_iter().for_each(note);
    let specs = [player].into_iter().chain(&train.evaluate_with);
    let own = InputFiles::find([game], specs, train.starts.as_slice(), context.registry());
    let inputs = context.inputs(own);
    files.check(inputs.paths(), train.force).map_err(refused)?;
    Ok((inputs, files))
}

/// Returns the default model file, in the current folder.
fn default_model(game: &Spec, learner: &Spec) -> PathBuf {
    format!("{}-{}.model", game.name(), learner.name()).into()
}
