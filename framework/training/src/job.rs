//! A training with its files, the model and the curve: [`TrainingJob`]. A job calls the learner
//! several times. Each call ends at a checkpoint, at an evaluation or at the end of the budget,
//! and the next call continues from there.

use super::curve::Curve;
use super::evaluations::{Evaluated, Evaluations};
use super::event::{TrainingEvent, TrainingWatch};
use super::files::{JobFiles, ModelSource};
use super::point::TrainingOrigin;
use runner_core::{
    Control, Fault, Game, Learner, Seed, Start, TrainingBudget, TrainingProgress, TrainingSession,
    locked, unpoisoned,
};
use runner_files::{FileError, FileLock, Header, can_be_written};
use runner_play::calls::Endless;
use runner_play::failure::{Failure, attributed};
use runner_play::inputs::{InputFiles, ReplacedInput};
use runner_play::models;
use runner_play::setting::Setting;
use runner_plugin::DynValue;
use runner_spec::quantity::grouped;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// A learner that makes no move in this many calls one after the other is taken to be broken.
const IDLE_CALLS: u32 = 1000;

pub struct TrainingJob<'a> {
    /// The game, the learner and the services for plugins.
    pub setting: &'a Setting,
    pub seed: Seed,
    /// Positions at which games begin. If empty, games begin as the rules say.
    pub starts: &'a [Start],
    pub files: JobFiles,
    /// The plugins and files that the training depends on, beside the model.
    pub inputs: &'a InputFiles,
    /// How a resumed training handles inputs that have changed.
    pub replaced: ReplacedInput<'a>,
    /// Refuses to resume the model of another training.
    pub accepts: &'a dyn Fn(&Header) -> Result<(), Failure>,
    /// Returns the budget, which counts from the learner's first move, earlier trainings included.
    /// It may depend on the progress at the start of this training.
    pub budget: &'a dyn Fn(&TrainingProgress) -> TrainingBudget,
    /// Interval between checkpoints.
    pub checkpoint: Duration,
    /// Evaluations for the curve.
    pub evaluations: Option<Evaluations>,
}

pub struct JobFailure {
    pub failure: Failure,
    /// True if the model that the training begins with cannot be read.
    pub is_of_source: bool,
    /// Set if there is a model that can be resumed: the progress at the start of this training.
    pub resumable: Option<TrainingProgress>,
}

impl From<Failure> for Box<JobFailure> {
    fn from(failure: Failure) -> Self {
        Box::new(JobFailure { failure, is_of_source: false, resumable: None })
    }
}

pub struct FinishedTraining {
    /// Progress of the learner at the start.
    pub before: TrainingProgress,
    /// Progress of the learner at the end, earlier trainings included.
    pub now: TrainingProgress,
    /// The last evaluation, one result for each player.
    pub evaluated: Vec<Evaluated>,
    pub curve: Curve,
    /// True if the training was stopped before its budget was spent.
    pub interrupted: bool,
}

impl TrainingJob<'_> {
    /// Interval between checkpoints where none is given.
    pub const CHECKPOINT: Duration = Duration::from_secs(300);

    /// Trains until the budget is spent or `stop` is set, and saves the model. Meanwhile the model
    /// is locked.
    pub fn run(
        self,
        stop: &AtomicBool,
        watch: TrainingWatch<'_>,
    ) -> Result<FinishedTraining, Box<JobFailure>> {
        let learner = self.setting.trained_learner()?;
        let model = &self.files.model;
        let _lock = FileLock::acquire(model).map_err(Failure::from)?;
        self.load_source(learner)?;
        let before = models::progress(learner)?;
        let budget = self.checked_budget(&before)?;
        // The model of another training stays in the file until the first checkpoint.
        let replaces = !self.is_resumed() && model.exists();
        self.check_writable(learner)?;
        let mut curve = self.curve(&before)?;
        if !replaces {
            curve.begin().map_err(Failure::from)?;
        }
        let tiles = &self.setting.game.rules.description().tiles;
        watch(TrainingEvent::Begin { before: &before, budget: budget.rest(&before), tiles });
        let mut run = TrainingRun {
            job: &self,
            learner,
            budget,
            replaces,
            stop,
            format: models::complete_format(learner)?,
            evaluated_at: before.moves,
            evaluated: Vec::new(),
            now: before.clone(),
            before,
            saved: None,
            reporter: Mutex::new(Reporter { watch, curve, failure: None }),
        };
        let ended = run.train();
        (run.reporter().watch)(TrainingEvent::End);
        let Err(failure) = ended else { return Ok(run.finished()) };
        let has_own_model = model.exists() && (!replaces || run.saved.is_some());
        let resumable = has_own_model.then_some(run.before);
        Err(Box::new(JobFailure { failure, is_of_source: false, resumable }))
    }

    fn is_resumed(&self) -> bool {
        matches!(self.files.source, ModelSource::Resumed(_))
    }

    /// Returns the budget, and refuses another model that has spent it already.
    fn checked_budget(&self, before: &TrainingProgress) -> Result<TrainingBudget, Failure> {
        let budget = (self.budget)(before);
        match &self.files.source {
            ModelSource::Other(file) if budget.is_spent(before) => Err(Failure::usage(format!(
                "{} has been trained for {} moves, and limits count from its start: give a larger \
                 limit",
                file.display(),
                grouped(before.moves)
            ))),
            _ => Ok(budget),
        }
    }

    /// Fails now if the files cannot be written, and not after hours of training.
    fn check_writable(&self, learner: &DynValue) -> Result<(), Failure> {
        let model = &self.files.model;
        can_be_written(&self.files.curve())?;
        if model.exists() {
            return Ok(can_be_written(model)?);
        }
        models::save(learner, model, &models::complete_format(learner)?)
    }

    /// Returns the curve, that of the file if the training is resumed.
    fn curve(&self, before: &TrainingProgress) -> Result<Curve, Failure> {
        let tiles = &self.setting.game.rules.description().tiles;
        let origin = TrainingOrigin {
            game: self.setting.game.spec.to_string(),
            agent: self.setting.player.spec.to_string(),
            seed: self.seed.0,
            inputs: self.inputs.read()?,
        };
        let mut curve = Curve::new(self.files.curve(), before, origin, tiles);
        if self.is_resumed() {
            curve.resume(before.moves, self.replaced)?;
        }
        Ok(curve)
    }

    /// Loads the model that the training begins with.
    fn load_source(&self, learner: &DynValue) -> Result<(), Box<JobFailure>> {
        let file = match &self.files.source {
            ModelSource::Resumed(file) if file.exists() => {
                // Only a container has a header that states its training.
                if let Some(header) = models::header(file)? {
                    (self.accepts)(&header)?;
                }
                file
            }
            ModelSource::Other(file) => {
                check_game(file, self.setting)?;
                file
            }
            ModelSource::Resumed(_) | ModelSource::Nothing => return Ok(()),
        };
        learner.load(&[file]).map_err(|fault| {
            let failure = Failure::from(fault);
            Box::new(JobFailure { failure, is_of_source: true, resumable: None })
        })
    }
}

/// Refuses the weights of a model of another game.
fn check_game(model: &Path, setting: &Setting) -> Result<(), Failure> {
    let Some(header) = models::header(model)? else { return Ok(()) };
    match models::game_mismatch(&header.game, &setting.game.spec, setting.services.registry()) {
        Some(mismatch) => Err(Failure::usage(mismatch.of(model))),
        None => Ok(()),
    }
}

struct TrainingRun<'a> {
    job: &'a TrainingJob<'a>,
    learner: &'a DynValue,
    /// The budget of the training, which counts from the learner's first move.
    budget: TrainingBudget,
    /// True if the file holds the model of another training until the first checkpoint.
    replaces: bool,
    stop: &'a AtomicBool,
    format: String,
    before: TrainingProgress,
    now: TrainingProgress,
    /// Progress at the last checkpoint of this training.
    saved: Option<TrainingProgress>,
    /// Moves of the learner at the last evaluation.
    evaluated_at: u64,
    /// The last evaluation, one result for each player.
    evaluated: Vec<Evaluated>,
    reporter: Mutex<Reporter<'a>>,
}

/// Where the learner's reports go.
struct Reporter<'a> {
    watch: TrainingWatch<'a>,
    curve: Curve,
    /// The first failure to write the curve; it stops the training.
    failure: Option<Failure>,
}

impl Reporter<'_> {
    /// Writes to the curve, unless that has failed before.
    fn write(&mut self, write: impl FnOnce(&mut Curve) -> Result<(), FileError>) {
        if self.failure.is_none() {
            self.failure = write(&mut self.curve).err().map(Failure::from);
        }
    }
}

impl<'a> TrainingRun<'a> {
    /// Trains until the budget is spent or the stop flag is set.
    fn train(&mut self) -> Result<(), Failure> {
        let whose = &self.job.setting.player.label;
        let mut idle_calls = 0;
        while !self.is_over() {
            let (moves, elapsed) = (self.now.moves, self.now.elapsed);
            self.call_learner()?;
            if self.now.moves <= moves {
                idle_calls += 1;
            } else if self.budget.time.is_some() && self.now.elapsed == elapsed {
                // The learner would never spend its time budget.
                return Err(Failure::failed(format!("{whose} trains without counting its time")));
            } else {
                idle_calls = 0;
            }
            if idle_calls == IDLE_CALLS {
                return Err(Failure::failed(format!("{whose} trains without making a move")));
            }
            let next = self.next_evaluation();
            if !self.is_over() && next.is_some_and(|next| self.now.moves >= next) {
                self.evaluate()?;
            }
            if !self.is_over() && self.now.elapsed >= self.next_checkpoint() {
                self.save()?;
            }
        }
        self.end()
    }

    /// Saves the model, evaluates it a last time and ends the curve.
    fn end(&mut self) -> Result<(), Failure> {
        let is_stopped = self.stop.load(Relaxed);
        if self.replaces && is_stopped && self.now.moves <= self.before.moves {
            let model = self.job.files.model.display();
            return Err(Failure::Interrupted(format!(
                "{model} stays as it was before this command"
            )));
        }
        // If no move was made, the file of a model that was trained before is up to date.
        if self.before.moves == 0 || self.now.moves != self.before.moves {
            self.save()?;
        }
        if self.job.evaluations.is_some()
            && self.evaluated_at < self.now.moves
            && !self.stop.load(Relaxed)
        {
            self.evaluate()?;
        }
        let mut reporter = self.reporter();
        reporter.write(|curve| curve.end(&self.now));
        reporter.failure.take().map_or(Ok(()), Err)
    }

    fn finished(self) -> FinishedTraining {
        FinishedTraining {
            interrupted: !self.budget.is_spent(&self.now),
            before: self.before,
            now: self.now,
            evaluated: self.evaluated,
            curve: unpoisoned(self.reporter.into_inner()).curve,
        }
    }

    fn reporter(&self) -> MutexGuard<'_, Reporter<'a>> {
        locked(&self.reporter)
    }

    /// Returns true if the budget is spent, or the training is to stop before that.
    fn is_over(&self) -> bool {
        self.budget.is_spent(&self.now)
            || self.stop.load(Relaxed)
            || self.reporter().failure.is_some()
    }

    /// Returns the training time of the learner at the next checkpoint.
    fn next_checkpoint(&self) -> Duration {
        let last = self.saved.as_ref().unwrap_or(&self.before).elapsed;
        last.saturating_add(self.job.checkpoint)
    }

    fn next_evaluation(&self) -> Option<u64> {
        self.job.evaluations.as_ref().map(|evaluations| evaluations.next(self.evaluated_at))
    }

    /// Returns the budget up to the end, the next checkpoint or the next evaluation.
    fn call_budget(&self) -> TrainingBudget {
        let rest = self.budget.rest(&self.now);
        let time = self.next_checkpoint().saturating_sub(self.now.elapsed);
        let moves = self.next_evaluation().map(|next| next.saturating_sub(self.now.moves));
        TrainingBudget {
            time: lower(rest.time, Some(time)),
            moves: lower(rest.moves, moves),
            ..rest
        }
    }

    /// Calls the learner once, and updates `now`.
    fn call_learner(&mut self) -> Result<(), Failure> {
        let TrainingJob { setting, seed, starts, .. } = *self.job;
        let time_left = self.budget.rest(&self.now).time;
        let calls = &setting.game.calls;
        calls.set_deadline(time_left.and_then(|time| Instant::now().checked_add(time)));
        let call = calls.enter_as(&setting.player.label, "train", Endless::AfterDeadline);
        let budget_here = self.budget.rest(&self.before);
        // The closure is called on other threads, on which the whole of `self` may not be used.
        let (before, stop, reporter) = (&self.before, self.stop, &self.reporter);
        let report = |now: &TrainingProgress| {
            call.progress();
            let reporter = &mut *locked(reporter);
            (reporter.watch)(TrainingEvent::Progress(now));
            let share = budget_here.share(&now.since(before));
            reporter.write(|curve| curve.update(share, now));
            if stop.load(Relaxed) || reporter.failure.is_some() {
                Control::Stop
            } else {
                Control::Continue
            }
        };
        let session = TrainingSession {
            budget: self.call_budget(),
            plan: self.budget,
            seed,
            starts,
            ..TrainingSession::new(&setting.services, &report)
        };
        self.now = self.learner.train(&*setting.game.rules, &session).map_err(|Fault(fault)| {
            let whose = [setting.player.label.as_str(), setting.game.label.as_str()];
            Failure::failed(attributed(&fault, &whose))
        })?;
        Ok(())
    }

    fn save(&mut self) -> Result<(), Failure> {
        models::save(self.learner, &self.job.files.model, &self.format)?;
        self.saved = Some(self.now.clone());
        self.reporter().write(Curve::begin);
        Ok(())
    }

    /// Evaluates the learner. An evaluation that is interrupted has no result.
    fn evaluate(&mut self) -> Result<(), Failure> {
        let Some(evaluations) = &self.job.evaluations else { return Ok(()) };
        let watch = &mut |event: TrainingEvent<'_>| (locked(&self.reporter).watch)(event);
        let results = evaluations.play(self.job.setting, self.stop, watch)?;
        let Some(results) = results else { return Ok(()) };
        for result in &results {
            self.reporter().write(|curve| curve.evaluation(&self.now, result));
        }
        (self.evaluated_at, self.evaluated) = (self.now.moves, results);
        Ok(())
    }
}

/// Returns the lower of two limits; `None` is no limit.
fn lower<T: Ord>(one: Option<T>, other: Option<T>) -> Option<T> {
    one.into_iter().chain(other).min()
}
