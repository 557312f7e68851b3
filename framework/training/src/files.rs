//! The files of a training: the model that it begins with, those that it writes, and which of them
//! it may overwrite.

use runner_files::{OutputError, Outputs, checkpoint_beside, curve_beside, lock};
use runner_play::failure::Failure;
use runner_play::models;
use runner_play::registry::Registry;
use std::path::{Path, PathBuf};

/// The model that a training begins with.
#[derive(Debug, PartialEq)]
pub enum ModelSource {
    /// An untrained learner.
    Nothing,
    /// The model that is resumed, if its file exists.
    Resumed(PathBuf),
    /// Another model, which stays as it is. Its learner may have had other parameters.
    Other(PathBuf),
}

/// The model that a training reads, and the one that it writes. Both may be the same file.
#[derive(Debug)]
pub struct JobFiles {
    pub source: ModelSource,
    pub model: PathBuf,
}

/// Why a training may not use its files.
#[derive(Debug)]
pub enum RefusedFiles {
    /// The model to be resumed does not exist.
    Missing(PathBuf),
    /// The model of another training would be overwritten.
    Exists(PathBuf),
    /// The curve of another training, whose model is gone, would be overwritten.
    CurveExists(PathBuf),
    /// The checkpoint or curve beside a resumed model without learning state would be overwritten.
    Beside(PathBuf),
    Outputs(OutputError),
}

/// How a front end names its options in the messages of [`RefusedFiles`].
#[derive(Clone, Copy, Debug)]
pub struct FileOptionNames {
    pub model: &'static str,
    pub resume: &'static str,
    pub force: &'static str,
}

impl RefusedFiles {
    /// Says what is wrong, and which option helps.
    pub fn message(&self, FileOptionNames { model, resume, force }: FileOptionNames) -> String {
        match self {
            Self::Missing(file) => {
                format!("there is no model {}; leave out {resume} to start one", file.display())
            }
            Self::Exists(file) => format!(
                "{} exists already: {resume} continues the training, {force} starts another and \
                 overwrites it",
                file.display()
            ),
            Self::CurveExists(file) => {
                format!("{} exists already: {force} overwrites it", file.display())
            }
            Self::Beside(file) => {
                format!("{} exists already: resume it with {model}, or remove it", file.display())
            }
            Self::Outputs(error) => error.to_string(),
        }
    }
}

/// Refuses a model that is to be resumed and does not exist.
pub fn refuse_missing(model: &Path) -> Result<(), RefusedFiles> {
    if model.exists() { Ok(()) } else { Err(RefusedFiles::Missing(model.to_owned())) }
}

impl JobFiles {
    /// Returns the files of a training that writes this model and the curve beside it. If `source`
    /// lacks the learning state, the second result is a note for the user about that. If such a
    /// source is resumed, its file stays as it is, and the training writes a checkpoint beside it.
    pub fn new(
        source: ModelSource,
        mut model: PathBuf,
        registry: &Registry,
    ) -> Result<(Self, Option<String>), Failure> {
        let (file, is_resumed) = match &source {
            ModelSource::Resumed(file) if file.exists() => (file, true),
            ModelSource::Other(file) => (file, false),
            ModelSource::Resumed(_) | ModelSource::Nothing => {
                return Ok((Self { source, model }, None));
            }
        };
        let Some(contents) = weights_only(file, registry)? else {
            return Ok((Self { source, model }, None));
        };
        let mut note = format!(
            "note: {} holds {contents}, so the training starts with an empty learning state",
            file.display()
        );
        if is_resumed {
            model = checkpoint_beside(file);
            note += &format!("; it is saved as {}", model.display());
        }
        Ok((Self { source, model }, Some(note)))
    }

    pub fn curve(&self) -> PathBuf {
        curve_beside(&self.model)
    }

    /// Refuses outputs that are inputs or other outputs. Unless `overwrites` is true, refuses
    /// outputs that are files of another training too. `inputs` are the inputs beside the model.
    pub fn check(
        &self,
        inputs: impl IntoIterator<Item = impl AsRef<Path>>,
        overwrites: bool,
    ) -> Result<(), RefusedFiles> {
        let Self { source, model } = self;
        let curve = &self.curve();
        let mut outputs = Outputs::default().reads(inputs).writes("the model", model);
        if let ModelSource::Other(file) = source {
            outputs = outputs.reads([file]);
        }
        outputs = outputs.writes("the curve", curve);
        outputs = outputs.writes("the lock of the model", &lock::path(model));
        outputs.check(true).map_err(RefusedFiles::Outputs)?;
        let existing = [model, curve].into_iter().find(|file| file.exists());
        let Some(existing) = existing else { return Ok(()) };
        match source {
            ModelSource::Resumed(file) if file == model => Ok(()),
            // Refused even if `overwrites` is true.
            ModelSource::Resumed(_) => Err(RefusedFiles::Beside(existing.clone())),
            _ if overwrites => Ok(()),
            _ if existing == model => Err(RefusedFiles::Exists(existing.clone())),
            _ => Err(RefusedFiles::CurveExists(existing.clone())),
        }
    }
}

/// Returns what a model without learning state holds, such as "weights only"; `None` for a
/// checkpoint. Folded models are refused.
fn weights_only(model: &Path, registry: &Registry) -> Result<Option<String>, Failure> {
    let contents = models::partial_contents(model, registry)?;
    if contents.as_deref() == Some(models::FOLDED) {
        return Err(Failure::failed(format!(
            "{} is folded, and folded models only evaluate; use the model that it was folded from",
            model.display()
        )));
    }
    Ok(contents)
}
