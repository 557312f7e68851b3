//! A learner without a model learns before it plays, before one's eyes; what it
//! learned is kept, and found again the next time.

use crate::failure::Failure;
use crate::models;
use crate::notes::note;
use crate::setting::Setting;
use crate::training::Training;
use runner_core::{Learner, TrainingBudget};
use runner_files::FileError;
use runner_plugin::{DynValue, Registry};
use runner_spec::quantity::{grouped, time};
use std::path::Path;
use std::time::{Duration, Instant};

/// Lets the learner play its model, after it has learned for a while if there is
/// none yet. Returns the time that it took.
pub fn prepare(
    setting: Setting,
    registry: &Registry,
    budget: Duration,
) -> Result<(Setting, Duration), Failure> {
    let began = Instant::now();
    let Some(learner) = setting.player.learner().cloned() else {
        return Ok((setting, Duration::ZERO));
    };
    let path = models::automatic(&setting.game.spec, &setting.player.spec)?;
    if path.exists() {
        note(format!("model: {}", path.display()));
    } else {
        learn(&setting, &learner, &path, budget)?;
    }
    Ok((playing(setting, learner, registry, &path)?, began.elapsed()))
}

fn learn(
    setting: &Setting,
    learner: &DynValue,
    path: &Path,
    budget: Duration,
) -> Result<(), Failure> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(FileError::at("create", folder))?;
    }
    let training = Training {
        setting,
        learner,
        seed: setting.seed,
        budget: TrainingBudget { time: Some(budget), ..TrainingBudget::default() },
        model: path,
        checkpoint: None,
        examination: None,
        curve: None,
        plain: true,
    };
    let trained = training.run().map_err(|broken| broken.failure)?;
    note(format!(
        "learned for {}: {} moves in {} games; model: {}",
        time(trained.now.elapsed),
        grouped(trained.now.moves),
        grouped(trained.now.episodes),
        path.display()
    ));
    match trained.interrupted {
        true => Err(Failure::Interrupted("the model is saved; the same command plays it".into())),
        false => Ok(()),
    }
}

/// Puts in the learner's place one that plays the model: it may leave out all that
/// learning takes.
fn playing(
    setting: Setting,
    learner: DynValue,
    registry: &Registry,
    model: &Path,
) -> Result<Setting, Failure> {
    let spec = &setting.player.spec;
    let info = registry.player_kind(spec.name())?;
    if !info.parameters.iter().any(|parameter| parameter.name == "model") {
        learner.load(&[model])?;
        return Ok(setting);
    }
    let path = model.to_str().ok_or_else(|| {
        Failure::failed(format!("the path {} is not valid UTF-8", model.display()))
    })?;
    let literal = ron::to_string(path).map_err(Failure::failed)?;
    let spec = spec.with("model", &literal)?;
    // Two at once could be too much for the memory.
    drop(learner);
    setting.with_player(registry, &spec).map_err(|failure| match failure {
        // Nobody typed this model.
        Failure::Usage { message, .. } => {
            Failure::failed(format!("{message}; remove {} to learn anew", model.display()))
        }
        other => other,
    })
}
