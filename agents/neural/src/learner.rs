//! The parts of a learner that every network has in common.

use crate::file::{CHECKPOINT, Identity, Model, TENSORS};
use runner_core::{Fault, ModelFormat};
use std::path::Path;

/// Returns the formats of a model.
pub fn formats() -> Vec<ModelFormat> {
    vec![
        ModelFormat::new(CHECKPOINT, "weights and learning state; training resumes from it"),
        ModelFormat::new(TENSORS, "weights only, for other programs; cannot be loaded"),
    ]
}

/// Refuses the training of a learner that was built with a model to play with.
pub fn refuse_training(plays_only: bool) -> Result<(), Fault> {
    match plays_only {
        true => Err(Fault::new(
            "a learner with the `model` parameter only plays; to train, leave `model` out, or \
             resume the model",
        )),
        false => Ok(()),
    }
}

/// Opens the only one of several files, which must have this identity.
pub fn open_only(files: &[&Path], identity: &Identity) -> Result<Model, Fault> {
    let [file] = files else {
        return Err(Fault::new("the mean of several networks is no network; name one file"));
    };
    let model = Model::open(file, identity.kind).map_err(Fault::new)?;
    model.check(identity).map_err(Fault::new)?;
    Ok(model)
}
