//! Prepares a player whose learners name no model: [`Prepared`]. Each gets the model that an
//! earlier command saved for it. If that is missing or was trained for too short a time, it is
//! trained first.

use super::event::TrainingWatch;
use super::files::{JobFiles, ModelSource};
use super::job::{JobFailure, TrainingJob};
use runner_core::{Learner, Spec, TrainingBudget};
use runner_play::failure::Failure;
use runner_play::inputs::{InputFiles, ReplacedInput};
use runner_play::learners::{self, Model};
use runner_play::models::{self, Learned};
use runner_play::registry::Registry;
use runner_play::setting::Setting;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Headers of model files round the training time. A model whose training time is less than the
/// budget by at most this counts as trained.
const TOLERANCE: Duration = Duration::from_millis(1);

/// A player whose learners have models.
pub struct Prepared {
    /// Spec of the player, which names the models.
    agent: Spec,
    /// Set if the player is a learner whose spec cannot name a model: the learner with its model.
    setting: Option<Setting>,
    /// The models that were added to the spec.
    models: Vec<PathBuf>,
    /// Time that this preparation took, if a model was trained, otherwise 0.
    pub trained: Duration,
}

impl Prepared {
    /// Gives each learner without a model its saved one, after a training to a total of `budget`.
    /// `build` builds the player of a spec.
    pub fn new(
        agent: &Spec,
        budget: Duration,
        build: impl Fn(&Spec) -> Result<Setting, Failure>,
        registry: &Registry,
        stop: &AtomicBool,
        watch: TrainingWatch<'_>,
    ) -> Result<Self, Failure> {
        let start = Instant::now();
        let mut prepared = Prepared {
            agent: agent.clone(),
            setting: None,
            models: Vec::new(),
            trained: Duration::ZERO,
        };
        for named in learners::in_agent(agent, registry) {
            if named.model != Model::None {
                continue;
            }
            let setting = build(&named.spec)?;
            let Some(learner) = setting.player.learner() else { continue };
            let model = models::automatic(&setting.game.spec, &setting.player.spec)?;
            if train(&setting, &model, budget, stop, watch)? {
                prepared.trained = start.elapsed();
            }
            let parameters = &registry.player(named.spec.name())?.parameters;
            if parameters.iter().any(|parameter| parameter.name == "model") {
                let text = model.to_str().ok_or_else(|| {
                    Failure::failed(format!("the path {} is not valid UTF-8", model.display()))
                })?;
                let spec = named.spec.with("model", text)?;
                prepared.agent = match named.path.as_str() {
                    "" => spec,
                    path => prepared.agent.with(path, spec)?,
                };
                prepared.models.push(model);
            } else if named.path.is_empty() {
                learner.load(&[&model])?;
                prepared.setting = Some(setting);
            } else {
                return Err(Failure::usage(format!(
                    "`{}` has no parameter `model`, so it cannot be played inside `{}`",
                    named.spec.name(),
                    agent.name()
                )));
            }
        }
        Ok(prepared)
    }

    /// Returns true if the player has a learner whose model is a saved one.
    pub fn learns(&self) -> bool {
        self.setting.is_some() || !self.models.is_empty()
    }

    pub fn setting(
        self,
        build: impl Fn(&Spec) -> Result<Setting, Failure>,
    ) -> Result<Setting, Failure> {
        if let Some(setting) = self.setting {
            return Ok(setting);
        }
        match (build(&self.agent), self.models.last()) {
            // The user did not type the name of the model, so this is no usage error. The failure
            // does not hold the file, so the last of several models is named.
            (Err(Failure::Usage { message, .. }), Some(model)) => Err(unusable(&message, model)),
            (built, _) => built,
        }
    }
}

/// Trains a learner for a total of `budget`, earlier trainings of its model included. Returns true
/// if there was something to train.
fn train(
    setting: &Setting,
    model: &Path,
    budget: Duration,
    stop: &AtomicBool,
    watch: TrainingWatch<'_>,
) -> Result<bool, Failure> {
    if is_trained(setting, model, budget)? {
        return Ok(false);
    }
    if let Some(folder) = model.parent() {
        runner_files::create_folder(folder)?;
    }
    let (game, player) = (&setting.game.spec, &setting.player.spec);
    let inputs = InputFiles::find([game], [player], &[], setting.services.registry());
    let remedy = format!("remove {} to train another model", model.display());
    let job = TrainingJob {
        setting,
        seed: setting.seed,
        starts: &[],
        files: JobFiles { source: ModelSource::Resumed(model.to_owned()), model: model.to_owned() },
        inputs: &inputs,
        replaced: ReplacedInput::RefusedOr(&remedy),
        accepts: &|_| Ok(()),
        budget: &|_| TrainingBudget { time: Some(budget), ..TrainingBudget::default() },
        checkpoint: TrainingJob::CHECKPOINT,
        evaluations: None,
    };
    let trained = job.run(stop, watch).map_err(|failed| match *failed {
        JobFailure { failure, is_of_source: true, .. } => unusable(&failure.to_string(), model),
        JobFailure { failure, .. } => failure,
    })?;
    if trained.interrupted {
        return Err(Failure::Interrupted(
            "the model is saved; the same command continues its training".into(),
        ));
    }
    Ok(true)
}

fn is_trained(setting: &Setting, model: &Path, budget: Duration) -> Result<bool, Failure> {
    if !model.exists() {
        return Ok(false);
    }
    let facts =
        models::facts(model, setting.services.registry()).map_err(|failure| match failure {
            Failure::Failed { message, .. } => unusable(&message, model),
            other => other,
        })?;
    // A model in a format that does not state its training time is taken as it is.
    let learned = Learned::of(&facts);
    Ok(learned.is_none_or(|learned| learned.elapsed.saturating_add(TOLERANCE) >= budget))
}

/// Returns the failure of a saved model that cannot be used.
fn unusable(message: &str, model: &Path) -> Failure {
    Failure::failed(format!("{message}; remove {} to train another model", model.display()))
}
