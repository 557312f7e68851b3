//! A training, cut into calls of the learner: each ends at a checkpoint, at an evaluation or
//! at the end of the budget, and the next continues where it ended.

use super::curve::Curve;
use super::evaluations::{Evaluated, Evaluations};
use super::event::{Event, Watch};
use runner_core::{
    Control, Fault, Game, Learner, Seed, Start, TrainingBudget, TrainingProgress, TrainingSession,
    locked, unpoisoned,
};
use runner_files::FileError;
use runner_play::failure::{Failure, attributed};
use runner_play::models;
use runner_play::setting::Setting;
use runner_plugin::DynValue;
use runner_plugin::calls::Endless;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// A learner that makes no move in this many calls is taken to be broken.
const IDLE_CALLS: u32 = 1000;

pub struct Training<'a> {
    /// The game, the threads and the services for plugins.
    pub setting: &'a Setting,
    /// The learner, which may have been trained before.
    pub learner: &'a DynValue,
    /// Seed of the training games.
    pub seed: Seed,
    /// Positions that whole games begin at. If empty, they begin as the rules say.
    pub starts: &'a [Start],
    /// Where the training ends, counted from the learner's first move: what it has done
    /// before counts.
    pub budget: TrainingBudget,
    /// The file of the model.
    pub model: &'a Path,
    /// True if the file is that of another training until the first checkpoint.
    pub replaces: bool,
    /// Interval between checkpoints.
    pub checkpoint: Duration,
    /// Evaluations during the training.
    pub evaluations: Option<&'a Evaluations>,
    /// The curve. Unless its file was begun, that happens at the first checkpoint.
    pub curve: Option<Curve>,
}

/// The result of a training.
pub struct Trained {
    /// Progress of the learner at the start.
    pub before: TrainingProgress,
    /// Progress of the learner at the end, earlier trainings included.
    pub now: TrainingProgress,
    /// The last evaluation, one result for each player.
    pub evaluated: Vec<Evaluated>,
    pub curve: Option<Curve>,
    /// True if the stop flag ended it.
    pub interrupted: bool,
}

/// A training that failed.
pub struct TrainingFailure {
    /// Why it failed.
    pub failure: Failure,
    /// Progress at the last checkpoint, if there was one.
    pub saved: Option<TrainingProgress>,
}

fn lower<T: Ord>(one: Option<T>, other: Option<T>) -> Option<T> {
    one.into_iter().chain(other).min()
}

impl Training<'_> {
    /// Trains until the budget is spent or `stop` is set, and saves the model. After a failure
    /// the model is that of the last checkpoint.
    pub fn run(self, stop: &AtomicBool, watch: Watch<'_>) -> Result<Trained, Box<TrainingFailure>> {
        let failed = |failure, saved| Box::new(TrainingFailure { failure, saved });
        let mut run = Run::start(self, stop, watch).map_err(|failure| failed(failure, None))?;
        let ended = run.finish();
        (run.reporter().watch)(Event::End);
        match ended {
            Ok(()) => Ok(run.trained()),
            Err(failure) => Err(failed(failure, run.saved)),
        }
    }
}

/// A training under way.
struct Run<'a> {
    training: Training<'a>,
    stop: &'a AtomicBool,
    /// Format of the checkpoints.
    format: String,
    before: TrainingProgress,
    now: TrainingProgress,
    /// Progress at the last checkpoint.
    saved: Option<TrainingProgress>,
    /// The last evaluation, with the learner's moves at that time.
    evaluated: (u64, Vec<Evaluated>),
    reporter: Mutex<Reporter<'a>>,
}

/// Where the learner's reports go.
struct Reporter<'a> {
    watch: Watch<'a>,
    curve: Option<Curve>,
    /// The first failure to write the curve; it stops the training.
    failure: Option<Failure>,
}

impl Reporter<'_> {
    /// Applies `task` to the curve, if there is one, and keeps its failure.
    fn curve(&mut self, task: impl FnOnce(&mut Curve) -> Result<(), FileError>) {
        if let (Some(curve), None) = (&mut self.curve, &self.failure) {
            self.failure = task(curve).err().map(Failure::from);
        }
    }
}

impl<'a> Run<'a> {
    fn start(
        mut training: Training<'a>,
        stop: &'a AtomicBool,
        watch: Watch<'a>,
    ) -> Result<Self, Failure> {
        let before = models::progress(training.learner)?;
        let tiles = &training.setting.game.rules.description().tiles;
        watch(Event::Begin { before: &before, budget: training.budget.rest(&before), tiles });
        let reporter = Reporter { watch, curve: training.curve.take(), failure: None };
        Ok(Self {
            format: models::complete_format(training.learner)?,
            training,
            stop,
            evaluated: (before.moves, Vec::new()),
            now: before.clone(),
            before,
            saved: None,
            reporter: Mutex::new(reporter),
        })
    }

    fn finish(&mut self) -> Result<(), Failure> {
        let mut idle = 0;
        while !self.is_over() {
            let moves = self.now.moves;
            self.train()?;
            idle = if self.now.moves > moves { 0 } else { idle + 1 };
            if idle == IDLE_CALLS {
                let whose = &self.training.setting.player.label;
                return Err(Failure::failed(format!("{whose} trains without making a move")));
            }
            if !self.is_over() && self.is_evaluation_due() {
                self.evaluate()?;
            }
            if !self.is_over() && self.now.elapsed >= self.next_checkpoint() {
                self.save()?;
            }
        }
        let has_moved = self.now.moves > self.before.moves;
        if self.training.replaces && !has_moved && self.stop.load(Relaxed) {
            let model = self.training.model.display();
            return Err(Failure::Interrupted(format!(
                "{model} stays as it was before this command"
            )));
        }
        if !self.is_unchanged() {
            self.save()?;
        }
        if self.training.evaluations.is_some()
            && self.evaluated.0 < self.now.moves
            && !self.stop.load(Relaxed)
        {
            self.evaluate()?;
        }
        let now = self.now.clone();
        let mut reporter = self.reporter();
        reporter.curve(|curve| curve.end(&now));
        match reporter.failure.take() {
            Some(failure) => Err(failure),
            None => Ok(()),
        }
    }

    fn trained(self) -> Trained {
        let reporter = unpoisoned(self.reporter.into_inner());
        Trained {
            interrupted: !self.training.budget.is_spent(&self.now),
            before: self.before,
            now: self.now,
            evaluated: self.evaluated.1,
            curve: reporter.curve,
        }
    }

    fn reporter(&self) -> MutexGuard<'_, Reporter<'a>> {
        locked(&self.reporter)
    }

    /// Returns true if the file of a model that was trained before is up to date.
    fn is_unchanged(&self) -> bool {
        self.before.moves > 0 && self.now.moves == self.before.moves
    }

    /// Returns true if the budget is spent, or the training is to stop before that.
    fn is_over(&self) -> bool {
        self.training.budget.is_spent(&self.now)
            || self.stop.load(Relaxed)
            || self.reporter().failure.is_some()
    }

    /// Returns the time of the next checkpoint, counted as the learner counts.
    fn next_checkpoint(&self) -> Duration {
        let last = self.saved.as_ref().unwrap_or(&self.before).elapsed;
        last.saturating_add(self.training.checkpoint)
    }

    fn next_evaluation(&self) -> Option<u64> {
        self.training.evaluations.map(|evaluations| evaluations.next(self.evaluated.0))
    }

    fn is_evaluation_due(&self) -> bool {
        self.next_evaluation().is_some_and(|next| self.now.moves >= next)
    }

    /// Calls the learner once: to the end, the next checkpoint or the next evaluation.
    fn train(&mut self) -> Result<(), Failure> {
        let Training { setting, learner, seed, starts, budget: plan, .. } = self.training;
        let mut budget = plan.rest(&self.now);
        let next = self.next_checkpoint().saturating_sub(self.now.elapsed);
        budget.time = lower(budget.time, Some(next));
        let next = self.next_evaluation().map(|next| next.saturating_sub(self.now.moves));
        budget.moves = lower(budget.moves, next);
        let (before, stop, reporter) = (&self.before, self.stop, &self.reporter);
        let left = plan.rest(before);
        let deadline = plan.rest(&self.now).time.and_then(|time| Instant::now().checked_add(time));
        let calls = &setting.game.calls;
        calls.set_deadline(deadline);
        let call = calls.enter_as(&setting.player.label, "train", Endless::AfterDeadline);
        let report = |now: &TrainingProgress| {
            call.progress();
            let reporter = &mut *locked(reporter);
            (reporter.watch)(Event::Progress(now));
            let share = left.share(&now.since(before));
            reporter.curve(|curve| curve.update(share, now));
            if stop.load(Relaxed) || reporter.failure.is_some() {
                Control::Stop
            } else {
                Control::Continue
            }
        };
        let host = &setting.services;
        let session =
            TrainingSession { budget, plan, seed, starts, ..TrainingSession::new(host, &report) };
        let now = learner.train(&*setting.game.rules, &session).map_err(|Fault(fault)| {
            let whose = [setting.player.label.as_str(), setting.game.label.as_str()];
            Failure::failed(attributed(&fault, &whose))
        })?;
        self.now = now;
        Ok(())
    }

    fn save(&mut self) -> Result<(), Failure> {
        models::save(self.training.learner, self.training.model, &self.format)?;
        self.saved = Some(self.now.clone());
        self.reporter().curve(Curve::begin);
        Ok(())
    }

    /// Evaluates the learner. An interrupt leaves the last evaluation.
    fn evaluate(&mut self) -> Result<(), Failure> {
        let Some(evaluations) = self.training.evaluations else { return Ok(()) };
        let watch = &mut |event: Event<'_>| (locked(&self.reporter).watch)(event);
        let results = evaluations.play(self.training.setting, self.stop, watch)?;
        let Some(results) = results else { return Ok(()) };
        let now = self.now.clone();
        for result in &results {
            self.reporter().curve(|curve| curve.evaluation(&now, result));
        }
        self.evaluated = (now.moves, results);
        Ok(())
    }
}
