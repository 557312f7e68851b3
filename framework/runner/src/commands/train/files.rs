//! The files of `runner train`: their names, and whether they may be written.

use super::options::TrainOptions;
use runner_console::notes::note;
use runner_core::Spec;
use runner_files::{lock, resolved};
use runner_play::failure::Failure;
use runner_play::models;
use runner_play::setting::Setting;
use runner_plot::Format;
use runner_plugin::Registry;
use runner_training::CurveFiles;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

#[derive(Debug)]
pub struct Files {
    /// The model that is resumed, as it was typed.
    pub source: PathBuf,
    /// The model that is written, usually the same.
    pub model: PathBuf,
    pub curve: CurveFiles,
}

impl Files {
    /// Returns the files that the options name. Without a model, they must name the game and
    /// the learner.
    pub fn requested(train: &TrainOptions) -> Result<Self, Failure> {
        let model = match (&train.model, &train.players.game, &train.players.agent) {
            (Some(model), ..) => model.clone(),
            (None, Some(game), Some(agent)) => default_model(game, agent),
            _ => {
                return Err(Failure::usage(
                    "--resume needs a model: name it with --model, or with --game and --agent",
                ));
            }
        };
        Ok(Self::of(train, model.clone(), model))
    }

    /// Returns the files of a training whose game and learner are known. A model that is no
    /// checkpoint is not overwritten by one: the training writes beside it.
    pub fn new(train: &TrainOptions, setting: &Setting) -> Result<Self, Failure> {
        let registry = setting.services.registry();
        let default = || default_model(&setting.game.spec, &setting.player.spec);
        let model = train.model.clone().unwrap_or_else(default);
        if let Some(other) = &train.from {
            if let Some(contents) = weights_only(other, registry)? {
                note(without_memory(other, &contents));
            }
        } else if train.resume
            && model.exists()
            && let Some(contents) = weights_only(&model, registry)?
        {
            let beside = beside(&model);
            let why = without_memory(&model, &contents);
            note(format!("{why}; it is saved as {}", beside.display()));
            return Ok(Self::of(train, model, beside));
        }
        Ok(Self::of(train, model.clone(), model))
    }

    fn of(train: &TrainOptions, source: PathBuf, model: PathBuf) -> Self {
        let curve = match &train.curve {
            // A picture is the chart; its curve lies beside it.
            Some(file) if Format::of(file).is_some() => {
                CurveFiles { points: file.with_extension("jsonl"), chart: file.clone() }
            }
            Some(file) => CurveFiles::of(file.clone()),
            None => CurveFiles::of(with_end(&model, ".curve.jsonl")),
        };
        Self { source, model, curve }
    }

    /// Returns the model to be resumed, which must be there.
    pub fn resumed(self) -> Result<PathBuf, Failure> {
        if !self.source.exists() {
            return Err(Failure::usage(format!(
                "there is no model {}; leave out --resume to start one",
                self.source.display()
            )));
        }
        Ok(self.source)
    }

    /// Refuses to overwrite files without --force, and to write two things to one file.
    pub fn check(&self, train: &TrainOptions) -> Result<(), Failure> {
        let CurveFiles { points, chart } = &self.curve;
        let outputs = [
            ("the model", self.model.clone()),
            ("the curve", points.clone()),
            ("the chart", chart.clone()),
            ("the lock of the model", lock::path(&self.model)),
        ];
        refuse_equal(&outputs)?;
        for input in train.from.iter().chain(&train.starts) {
            outputs.iter().try_for_each(|(_, output)| Failure::refuse_same(input, output))?;
        }
        // A training that is resumed may begin a curve.
        if train.resume && train.curve.is_some() && !points.exists() && chart.exists() {
            return Err(Failure::usage(format!(
                "{} exists already: name another file with --curve",
                chart.display()
            )));
        }
        let is_new_model = self.source != self.model;
        if train.force || train.resume && !is_new_model {
            return Ok(());
        }
        let mut files = [&self.model, chart, points].into_iter();
        let Some(file) = files.find(|file| file.exists()) else { return Ok(()) };
        let what_to_do = if is_new_model {
            "resume it with --model, or remove it"
        } else if self.model.exists() {
            "--resume continues the training, --force starts another and overwrites it"
        } else {
            "--force overwrites it"
        };
        Err(Failure::usage(format!("{} exists already: {what_to_do}", file.display())))
    }
}

/// Returns what a model holds that is no checkpoint. Folded models are refused.
fn weights_only(model: &Path, registry: &Registry) -> Result<Option<String>, Failure> {
    let contents = models::partial_contents(model, registry)?;
    match contents.as_deref() {
        Some(models::FOLDED) => Err(Failure::failed(format!(
            "{} is folded, and folded models only evaluate; use the model that it was folded from",
            model.display()
        ))),
        _ => Ok(contents),
    }
}

/// Returns the note on a training that begins with a model which is no checkpoint.
fn without_memory(model: &Path, contents: &str) -> String {
    format!(
        "note: {} holds {contents}, so the training starts with an empty learning state",
        model.display()
    )
}

/// Refuses two outputs with the same file. Each output has a name for the message.
fn refuse_equal(outputs: &[(&str, PathBuf)]) -> Result<(), Failure> {
    for (i, (what, path)) in outputs.iter().enumerate() {
        let same = outputs[..i].iter().find(|(_, other)| identity(other) == identity(path));
        if let Some((other, _)) = same {
            return Err(Failure::usage(format!(
                "{other} and {what} would both be written to {}: name another file with --model \
                 or --curve",
                path.display()
            )));
        }
    }
    Ok(())
}

/// Returns a path that is equal for all names of a file, which need not exist.
fn identity(path: &Path) -> PathBuf {
    let path = resolved(path).unwrap_or(path.to_owned());
    let path = std::path::absolute(&path).unwrap_or(path);
    match (path.parent().map(Path::canonicalize), path.file_name()) {
        (Some(Ok(folder)), Some(name)) => folder.join(name),
        _ => path,
    }
}

/// Returns the default model file, in the current folder.
fn default_model(game: &Spec, learner: &Spec) -> PathBuf {
    format!("{}-{}.model", game.name(), learner.name()).into()
}

/// Returns the checkpoint in which the training of a model that is none continues.
fn beside(model: &Path) -> PathBuf {
    let is_taken = model.extension().is_some_and(|extension| extension == "model");
    model.with_extension(if is_taken { "resumed.model" } else { "model" })
}

fn with_end(path: &Path, end: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(end);
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checkpoint_lies_beside_a_model_that_is_none() {
        assert_eq!(beside(Path::new("a/b.player")), Path::new("a/b.model"));
        assert_eq!(beside(Path::new("a/b.w")), Path::new("a/b.model"));
        assert_eq!(beside(Path::new("a/b.model")), Path::new("a/b.resumed.model"));
    }

    #[test]
    fn two_names_of_one_file_are_refused() {
        let outputs = |curve: &str| {
            refuse_equal(&[("the model", "x.model".into()), ("the curve", curve.into())])
        };
        assert!(outputs("x.curve").is_ok());
        assert!(outputs("x.model").is_err());
        assert!(outputs("./x.model").is_err());
        #[cfg(unix)]
        {
            let folder = tempfile::tempdir().unwrap();
            let path = |name| folder.path().join(name);
            std::os::unix::fs::symlink("a.model", path("curve")).unwrap();
            std::os::unix::fs::symlink(folder.path(), path("same")).unwrap();
            for other in ["curve", "same/a.model", "same/curve"] {
                let outputs = [("the model", path("a.model")), ("the curve", path(other))];
                assert!(refuse_equal(&outputs).is_err(), "{other}");
            }
        }
    }
}
