//! A training with its files: the model, which may be resumed, its curve and its chart.

use super::curve::Curve;
use super::display::Place;
use super::evaluations::Evaluations;
use super::run::{Trained, Training};
use crate::brief::brief;
use crate::failure::Failure;
use crate::lock::FileLock;
use crate::models;
use crate::setting::Setting;
use runner_core::{Game, Learner, Seed, Spec, TrainingBudget, TrainingProgress};
use runner_files::can_be_written;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A training with its files.
pub struct Job<'a> {
    /// The game, the learner and the services for plugins.
    pub setting: &'a Setting,
    /// Seed of the training games.
    pub seed: Seed,
    /// The files.
    pub files: JobFiles,
    /// Returns the end of the training, counted from the learner's first move, for its progress
    /// at the start.
    pub budget: &'a dyn Fn(&TrainingProgress) -> TrainingBudget,
    /// Interval between checkpoints.
    pub checkpoint: Duration,
    /// Evaluations for the curve.
    pub evaluations: Option<Evaluations>,
    /// Whether progress is printed where there is no terminal.
    pub plain: bool,
    /// Its place among the trainings of the command.
    pub place: Place,
}

/// The files of a training.
pub struct JobFiles {
    /// The model that is resumed, if its file exists.
    pub source: Option<PathBuf>,
    /// The model that is written.
    pub model: PathBuf,
    /// The curve.
    pub curve: PathBuf,
    /// The chart of the curve.
    pub chart: PathBuf,
}

/// A training that failed.
pub struct JobFailure {
    /// Why it failed.
    pub failure: Failure,
    /// Progress of the learner at the start, if its model can be resumed.
    pub resumable: Option<TrainingProgress>,
}

impl From<Failure> for Box<JobFailure> {
    fn from(failure: Failure) -> Self {
        Box::new(JobFailure { failure, resumable: None })
    }
}

impl Job<'_> {
    /// Interval between checkpoints where none is given.
    pub const CHECKPOINT: Duration = Duration::from_secs(300);

    /// Trains, and saves the model. The model is locked meanwhile.
    pub fn run(self) -> Result<Trained, Box<JobFailure>> {
        let Self { setting, seed, files, evaluations, .. } = self;
        let JobFiles { source, model, curve, chart } = files;
        let learner = setting.trained_learner()?;
        let _lock = FileLock::acquire(&model)?;
        let is_resumed = source.is_some();
        if let Some(source) = source.filter(|source| source.exists()) {
            check_header(&source, setting, seed)?;
            learner.load(&[&source]).map_err(Failure::from)?;
        }
        let before = models::progress(learner)?;
        // A file that is to be overwritten stays until the first checkpoint.
        let replaces = !is_resumed && model.exists();
        // A file that cannot be written fails now, not after hours of training.
        if replaces {
            can_be_written(&model).map_err(Failure::from)?;
            can_be_written(&curve).map_err(Failure::from)?;
        } else if !model.exists() {
            models::save(learner, &model, &models::complete_format(learner)?)?;
        }
        let mut curve = new_curve((&curve, &chart), &before, setting, seed)?;
        if !replaces {
            curve.begin().map_err(Failure::from)?;
        }
        let training = Training {
            setting,
            learner,
            seed,
            budget: (self.budget)(&before),
            model: &model,
            checkpoint: Some(self.checkpoint),
            evaluations: evaluations.as_ref(),
            curve: Some(curve),
            plain: self.plain,
            place: self.place,
        };
        training.run().map_err(|failed| {
            let is_lost = replaces && failed.saved.is_none();
            let resumable = (!is_lost && model.exists()).then_some(before);
            Box::new(JobFailure { failure: failed.failure, resumable })
        })
    }
}

/// Returns the curve of a training: a new one, or that of its last checkpoint.
fn new_curve(
    files: (&Path, &Path),
    before: &TrainingProgress,
    setting: &Setting,
    Seed(seed): Seed,
) -> Result<Curve, Failure> {
    let (player, tiles) = (&setting.player.spec, &setting.game.rules.description().tiles);
    let title = vec![setting.game.spec.to_string(), format!("{player}, seed {seed}")];
    Curve::new(files, before, title, player.to_string(), tiles)
}

/// Refuses a model of another game, learner or seed.
fn check_header(model: &Path, setting: &Setting, Seed(wanted): Seed) -> Result<(), Failure> {
    let Some(header) = models::header(model)? else { return Ok(()) };
    let refuse = |what: &str, found: &str, wanted: &str, flag: &str| {
        Err(Failure::usage(format!(
            "the {what} of {} is {found}, not {wanted}: leave out {flag} to resume it, or \
             --resume to start another model",
            model.display()
        )))
    };
    let pairs = [
        ("game", &header.game, &setting.game.spec, "--game"),
        ("learner", &header.spec, &setting.player.spec, "--agent"),
    ];
    let registry = setting.services.registry();
    for (what, found, wanted, flag) in pairs {
        let found = match found.parse::<Spec>() {
            Ok(found) if found == *wanted => continue,
            // The file may be older than some parameters.
            Ok(found) if brief(&found, registry) == brief(wanted, registry) => continue,
            Ok(other) => brief(&other, registry).to_string(),
            Err(_) => found.clone(),
        };
        return refuse(what, &found, &brief(wanted, registry).to_string(), flag);
    }
    match models::trained_seed(&header) {
        Some(found) if found != wanted => {
            refuse("seed", &found.to_string(), &wanted.to_string(), "--seed")
        }
        _ => Ok(()),
    }
}
