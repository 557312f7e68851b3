//! A training with its files: the model, which may be resumed, and its curve.

use super::curve::Curve;
use super::evaluations::Evaluations;
use super::event::Watch;
use super::files::{JobFiles, Source};
use super::point::Origin;
use super::run::{Trained, Training};
use runner_core::{Game, Learner, Seed, Start, TrainingBudget, TrainingProgress};
use runner_files::{FileLock, Header, can_be_written};
use runner_play::failure::Failure;
use runner_play::models;
use runner_play::setting::Setting;
use runner_spec::quantity::grouped;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// A training with its files.
pub struct Job<'a> {
    /// The game, the learner and the services for plugins.
    pub setting: &'a Setting,
    /// Seed of the training games.
    pub seed: Seed,
    /// Positions that whole games begin at. If empty, they begin as the rules say.
    pub starts: &'a [Start],
    pub files: JobFiles,
    /// Refuses to resume the model of another training.
    pub accepts: &'a dyn Fn(&Header) -> Result<(), Failure>,
    /// Returns the end of the training, counted from the learner's first move, for its progress
    /// at the start.
    pub budget: &'a dyn Fn(&TrainingProgress) -> TrainingBudget,
    /// Interval between checkpoints.
    pub checkpoint: Duration,
    /// Evaluations for the curve.
    pub evaluations: Option<Evaluations>,
}

/// A training that failed.
pub struct JobFailure {
    /// Why it failed.
    pub failure: Failure,
    /// True if the model that the training begins with cannot be read.
    pub is_of_source: bool,
    /// Progress of the learner at the start, if its model can be resumed.
    pub resumable: Option<TrainingProgress>,
}

impl From<Failure> for Box<JobFailure> {
    fn from(failure: Failure) -> Self {
        Box::new(JobFailure { failure, is_of_source: false, resumable: None })
    }
}

impl Job<'_> {
    /// Interval between checkpoints where none is given.
    pub const CHECKPOINT: Duration = Duration::from_secs(300);

    /// Trains until the budget is spent or `stop` is set, and saves the model. The model is locked
    /// meanwhile.
    pub fn run(self, stop: &AtomicBool, watch: Watch<'_>) -> Result<Trained, Box<JobFailure>> {
        let Self { setting, seed, files, evaluations, .. } = self;
        let JobFiles { source, model, curve } = files;
        let learner = setting.trained_learner()?;
        let _lock = FileLock::acquire(&model).map_err(Failure::from)?;
        let load = |file: &Path| {
            learner.load(&[file]).map_err(|fault| {
                let failure = Failure::from(fault);
                Box::new(JobFailure { failure, is_of_source: true, resumable: None })
            })
        };
        match &source {
            Source::Resumed(file) if file.exists() => {
                // A format of the learner's own does not state its training.
                if let Some(header) = models::header(file)? {
                    (self.accepts)(&header)?;
                }
                load(file)?;
            }
            Source::Other(file) => {
                check_game(file, setting)?;
                load(file)?;
            }
            Source::Resumed(_) | Source::Nothing => {}
        }
        let before = models::progress(learner)?;
        let budget = (self.budget)(&before);
        if let Source::Other(file) = &source
            && budget.is_spent(&before)
        {
            return Err(Box::from(Failure::usage(format!(
                "{} has been trained for {} moves, and limits count from its start: give a larger \
                 limit",
                file.display(),
                grouped(before.moves)
            ))));
        }
        // A file that is to be overwritten stays until the first checkpoint.
        let replaces = !matches!(source, Source::Resumed(_)) && model.exists();
        // A file that cannot be written fails now, not after hours of training.
        if let Some(curve) = &curve {
            can_be_written(curve).map_err(Failure::from)?;
        }
        if model.exists() {
            can_be_written(&model).map_err(Failure::from)?;
        } else {
            models::save(learner, &model, &models::complete_format(learner)?)?;
        }
        let (game, agent) = (setting.game.spec.to_string(), setting.player.spec.to_string());
        let origin = Origin { game, agent, seed: seed.0 };
        let tiles = &setting.game.rules.description().tiles;
        let curve = curve.map(|path| Curve::new(path, &before, origin, tiles));
        let mut curve = curve.transpose()?;
        if let Some(curve) = curve.as_mut().filter(|_| !replaces) {
            curve.begin().map_err(Failure::from)?;
        }
        let training = Training {
            setting,
            learner,
            seed,
            starts: self.starts,
            budget,
            model: &model,
            replaces,
            checkpoint: self.checkpoint,
            evaluations: evaluations.as_ref(),
            curve,
        };
        training.run(stop, watch).map_err(|failed| {
            let is_lost = replaces && failed.saved.is_none();
            let resumable = (!is_lost && model.exists()).then_some(before);
            Box::new(JobFailure { failure: failed.failure, is_of_source: false, resumable })
        })
    }
}

/// Refuses the weights of a model of another game.
fn check_game(model: &Path, setting: &Setting) -> Result<(), Failure> {
    let Some(header) = models::header(model)? else { return Ok(()) };
    match models::difference(&header.game, &setting.game.spec, setting.services.registry()) {
        Some((found, wanted)) => {
            Err(Failure::usage(format!("the game of {} is {found}, not {wanted}", model.display())))
        }
        None => Ok(()),
    }
}
