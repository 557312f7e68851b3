//! Learners and the files of what they have learned.

use crate::failure::Failure;
use runner_core::{Learner, ModelFormat, Spec, TrainingProgress, catch};
use runner_files::{Container, FileError, Header, replace_by};
use runner_plugin::{DynValue, data_folder};
use std::path::{Path, PathBuf};

/// The fact of a model's header that tells the seed of its training.
pub const SEED: &str = "seed";
/// The fact that tells what was trained.
pub const NETWORK: &str = "network";
/// The fact that tells for how many moves.
pub const MOVES: &str = "moves";

/// Where `runner run` keeps the model of this player of this game: named after
/// both, and by a checksum of all their parameters.
pub fn automatic(game: &Spec, player: &Spec) -> Result<PathBuf, Failure> {
    let folder = data_folder().ok_or_else(|| {
        Failure::failed("no folder for models is known: set XDG_DATA_HOME or HOME")
    })?;
    let checksum = crc32fast::hash(format!("{game} {player}").as_bytes());
    let name = format!("{}-{}-{checksum:08x}.model", game.name(), player.name());
    Ok(folder.join("models").join(name))
}

/// What a model says about itself; nothing where it is no container, but a file of
/// the learner's own.
pub fn header(path: &Path) -> Result<Option<Header>, Failure> {
    match Container::is_container(path).map_err(FileError::at("read", path))? {
        true => Ok(Some(Container::open(path)?.header().clone())),
        false => Ok(None),
    }
}

/// What a learner has done so far.
pub fn progress(learner: &DynValue) -> Result<TrainingProgress, Failure> {
    Ok(catch(|| learner.progress())?)
}

/// The forms in which a learner can be saved, of which there is one at least.
fn formats(learner: &DynValue) -> Result<Vec<ModelFormat>, Failure> {
    let forms = catch(|| learner.formats())?;
    match forms.is_empty() {
        true => Err(Failure::failed("this learner names no form in which it can be saved")),
        false => Ok(forms),
    }
}

/// The form that holds all that learning takes.
pub fn full_form(learner: &DynValue) -> Result<String, Failure> {
    Ok(formats(learner)?.swap_remove(0).name)
}

/// The form that was asked for, or that the file's name asks for, or the first.
pub fn form(learner: &DynValue, asked: Option<&str>, path: &Path) -> Result<String, Failure> {
    let forms = formats(learner)?;
    let find = |name: &str| forms.iter().find(|form| form.name == name);
    let extension = path.extension().and_then(|extension| extension.to_str());
    let form = match asked {
        None => extension.and_then(find).unwrap_or(&forms[0]),
        Some(name) => find(name).ok_or_else(|| {
            let known = forms.iter().map(|form| format!("`{}` ({})", form.name, form.about));
            let known = known.collect::<Vec<_>>().join(", ");
            Failure::usage(format!("there is no form `{name}`; this learner has: {known}"))
        })?,
    };
    Ok(form.name.clone())
}

/// Writes a model, whole or not at all.
pub fn save(learner: &DynValue, path: &Path, form: &str) -> Result<(), Failure> {
    replace_by(path, |beside| {
        learner.save(beside, form).map_err(|fault| {
            // The learner knows the file by the name that it has until it is whole.
            let fault = fault.0.replace(&*beside.to_string_lossy(), &path.to_string_lossy());
            Failure::failed(format!("the model could not be written: {fault}"))
        })
    })
}
