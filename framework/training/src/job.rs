//! A training with its files: the model, which may be resumed, and its curve. It is cut into calls
//! of the learner: each ends at a checkpoint, at an evaluation or at the end of the budget, and the
//! next continues where it ended.

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

/// A learner that makes no move in this many calls is taken to be broken.
const IDLE_CALLS: u32 = 1000;

pub struct TrainingJob<'a> {
    /// The game, the learner and the services for plugins.
    pub setting: &'a Setting,
    pub seed: Seed,
    /// Positions that whole games begin at. If empty, they begin as the rules say.
    pub starts: &'a [Start],
    pub files: JobFiles,
    /// The plugins and files that the training depends on, beside the model.
    pub inputs: &'a InputFiles,
    /// How a resumed training handles other inputs.
    pub replaced: ReplacedInput<'a>,
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

pub struct JobFailure {
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

pub struct FinishedTraining {
    /// Progress of the learner at the start.
    pub before: TrainingProgress,
    /// Progress of the learner at the end, earlier trainings included.
    pub now: TrainingProgress,
    /// The last evaluation, one result for each player.
    pub evaluated: Vec<Evaluated>,
    pub curve: Curve,
    /// True if the stop flag ended it.
    pub interrupted: bool,
}

impl TrainingJob<'_> {
    /// Interval between checkpoints where none is given.
    pub const CHECKPOINT: Duration = Duration::from_secs(300);

    /// Trains until the budget is spent or `stop` is set, and saves the model. The model is locked
    /// meanwhile.
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
        let budget = (self.budget)(&before);
        if let ModelSource::Other(file) = &self.files.source
            && budget.is_spent(&before)
        {
            return Err(Box::from(Failure::usage(format!(
                "{} has been trained for {} moves, and limits count from its start: give a larger \
                 limit",
                file.display(),
                grouped(before.moves)
            ))));
        }
        let is_resumed = matches!(self.files.source, ModelSource::Resumed(_));
        // The model of another training stays in the file until the first checkpoint.
        let replaces = !is_resumed && model.exists();
        // A file that cannot be written fails now, not after hours of training.
        can_be_written(&self.files.curve()).map_err(Failure::from)?;
        if model.exists() {
            can_be_written(model).map_err(Failure::from)?;
        } else {
            models::save(learner, model, &models::complete_format(learner)?)?;
        }
        let tiles = &self.setting.game.rules.description().tiles;
        let origin = TrainingOrigin {
            game: self.setting.game.spec.to_string(),
            agent: self.setting.player.spec.to_string(),
            seed: self.seed.0,
            inputs: self.inputs.read()?,
        };
        // Another curve, such as that of a model that is overwritten, is not continued.
        let resumed = is_resumed.then_some(self.replaced);
        let mut curve = Curve::new(self.files.curve(), resumed, &before, origin, tiles)?;
        if !replaces {
            curve.begin().map_err(Failure::from)?;
        }
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
        let is_lost = replaces && run.saved.is_none();
        let resumable = (!is_lost && model.exists()).then_some(run.before);
        Err(Box::new(JobFailure { failure, is_of_source: false, resumable }))
    }

    /// Loads the model that the training begins with.
    fn load_source(&self, learner: &DynValue) -> Result<(), Box<JobFailure>> {
        let file = match &self.files.source {
            ModelSource::Resumed(file) if file.exists() => {
                // A format of the learner's own does not state its training.
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
    /// Where the training ends, counted from the learner's first move.
    budget: TrainingBudget,
    /// True if the file holds the model of another training until the first checkpoint.
    replaces: bool,
    stop: &'a AtomicBool,
    format: String,
    before: TrainingProgress,
    now: TrainingProgress,
    /// Progress at the last checkpoint.
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
                // It would never spend this budget.
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
        let has_moved = self.now.moves > self.before.moves;
        if self.replaces && !has_moved && self.stop.load(Relaxed) {
            let model = self.job.files.model.display();
            return Err(Failure::Interrupted(format!(
                "{model} stays as it was before this command"
            )));
        }
        // Without a move, the file of a model that was trained before is up to date.
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
        match reporter.failure.take() {
            Some(failure) => Err(failure),
            None => Ok(()),
        }
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

    /// Returns the time of the next checkpoint, counted as the learner counts.
    fn next_checkpoint(&self) -> Duration {
        let last = self.saved.as_ref().unwrap_or(&self.before).elapsed;
        last.saturating_add(self.job.checkpoint)
    }

    fn next_evaluation(&self) -> Option<u64> {
        self.job.evaluations.as_ref().map(|evaluations| evaluations.next(self.evaluated_at))
    }

    /// Calls the learner once: to the end, the next checkpoint or the next evaluation.
    fn call_learner(&mut self) -> Result<(), Failure> {
        let TrainingJob { setting, seed, starts, .. } = self.job;
        let (plan, before, stop, reporter) = (self.budget, &self.before, self.stop, &self.reporter);
        let planned = plan.rest(before);
        let mut budget = plan.rest(&self.now);
        let deadline = budget.time.and_then(|time| Instant::now().checked_add(time));
        let time = self.next_checkpoint().saturating_sub(self.now.elapsed);
        budget.time = lower(budget.time, Some(time));
        let moves = self.next_evaluation().map(|next| next.saturating_sub(self.now.moves));
        budget.moves = lower(budget.moves, moves);
        let calls = &setting.game.calls;
        calls.set_deadline(deadline);
        let call = calls.enter_as(&setting.player.label, "train", Endless::AfterDeadline);
        let report = |now: &TrainingProgress| {
            call.progress();
            let reporter = &mut *locked(reporter);
            (reporter.watch)(TrainingEvent::Progress(now));
            let share = planned.share(&now.since(before));
            reporter.write(|curve| curve.update(share, now));
            if stop.load(Relaxed) || reporter.failure.is_some() {
                Control::Stop
            } else {
                Control::Continue
            }
        };
        let session = TrainingSession {
            budget,
            plan,
            seed: *seed,
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

    /// Evaluates the learner. An interrupt leaves the last evaluation.
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
