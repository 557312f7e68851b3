//! The files that the options of `runner train` name, and the words of their refusals.

use super::options::TrainOptions;
use crate::context::Context;
use crate::linked::Linked;
use runner_console::notes::note;
use runner_core::Spec;
use runner_play::failure::Failure;
use runner_play::inputs::InputFiles;
use runner_play::setting::Setting;
use runner_training::{JobFiles, ModelSource, RefusedFiles};
use std::path::{Path, PathBuf};

const EXISTS: &str = "--resume continues the training, --force starts another and overwrites it";

/// Refuses a model that is there and neither resumed nor overwritten, before its game and learner
/// are known.
pub fn refuse_existing(train: &TrainOptions) -> Result<(), Failure> {
    let begins_anew = !train.resume && !train.force && train.from.is_none();
    match train.model.as_ref().filter(|model| begins_anew && model.is_file()) {
        Some(model) => Err(exists(model, EXISTS)),
        None => Ok(()),
    }
}

/// Returns the model to be resumed, which must be there. Without a model, the options must name the
/// learner.
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
    if !model.exists() {
        return Err(Failure::usage(format!(
            "there is no model {}; leave out --resume to start one",
            model.display()
        )));
    }
    Ok(model)
}

/// Returns the files that a training reads, and those of its model. Its game and learner are known.
pub fn files(
    train: &TrainOptions,
    setting: &Setting,
    context: &Context,
) -> Result<(InputFiles, JobFiles), Failure> {
    let default = || default_model(&setting.game.spec, &setting.player.spec);
    let model = train.model.clone().unwrap_or_else(default);
    let source = match &train.from {
        Some(other) => ModelSource::Other(other.clone()),
        None if train.resume => ModelSource::Resumed(model.clone()),
        None => ModelSource::Nothing,
    };
    let (files, about) = JobFiles::new(source, model, setting.services.registry())?;
    about.into_iter().for_each(note);
    let (game, player) = (&setting.game.spec, &setting.player.spec);
    let specs = [player].into_iter().chain(&train.evaluate_with);
    let inputs = InputFiles::find([game], specs, train.starts.as_slice(), context.registry());
    let inputs = context.inputs(inputs);
    files.check(inputs.paths(), train.force).map_err(|refused| {
        let (file, what_to_do) = match refused {
            RefusedFiles::Outputs(error) => return Failure::usage(error),
            RefusedFiles::Beside(file) => (file, "resume it with --model, or remove it"),
            RefusedFiles::Exists(file) if files.model.exists() => (file, EXISTS),
            RefusedFiles::Exists(file) => (file, "--force overwrites it"),
        };
        exists(&file, what_to_do)
    })?;
    Ok((inputs, files))
}

fn exists(file: &Path, what_to_do: &str) -> Failure {
    Failure::usage(format!("{} exists already: {what_to_do}", file.display()))
}

/// Returns the default model file, in the current folder.
fn default_model(game: &Spec, learner: &Spec) -> PathBuf {
    format!("{}-{}.model", game.name(), learner.name()).into()
}
