//! A training, cut into calls: at every checkpoint and every evaluation the
//! learner comes back, and goes on in the next call where it stood.

mod curve;
mod display;
mod examination;

pub use curve::{Curve, Point, chart, chart_path};
pub use display::Display;
pub use examination::{Evaluated, Examination};

use crate::failure::{Failure, attributed};
use crate::interrupt;
use crate::models;
use crate::setting::Setting;
use runner_core::{
    Control, Fault, Game, Learner, Seed, TrainingBudget, TrainingProgress, TrainingSession,
};
use runner_files::FileError;
use runner_plugin::DynValue;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A learner that does nothing in so many calls never will.
const IDLE_CALLS: u32 = 1000;

/// A training that is to be.
pub struct Training<'a> {
    /// The game, the threads, and what is offered to plugins.
    pub setting: &'a Setting,
    /// Who learns.
    pub learner: &'a DynValue,
    /// Where its chance comes from.
    pub seed: Seed,
    /// How long it learns from now on.
    pub budget: TrainingBudget,
    /// Where it is saved.
    pub model: &'a Path,
    /// How often it is saved before the end.
    pub checkpoint: Option<Duration>,
    /// What it has to show now and then.
    pub examination: Option<&'a Examination>,
    /// Where its curve is written: from the first checkpoint on, unless it is begun.
    pub curve: Option<Curve>,
    /// Whether progress is told where there is no terminal.
    pub plain: bool,
}

/// A training that was.
pub struct Trained {
    /// What the learner had done before.
    pub before: TrainingProgress,
    /// What it has done now.
    pub now: TrainingProgress,
    /// What it showed last, each player of the examination.
    pub evaluated: Vec<Evaluated>,
    /// Its curve.
    pub curve: Option<Curve>,
    /// Whether the user stopped it.
    pub interrupted: bool,
}

/// A training that failed.
pub struct Broken {
    /// Why.
    pub failure: Failure,
    /// What of the budget is left after the last checkpoint.
    pub rest: TrainingBudget,
    /// Whether it came to a checkpoint.
    pub is_saved: bool,
}

/// What is left of a budget.
pub fn rest(budget: &TrainingBudget, done: &TrainingProgress) -> TrainingBudget {
    TrainingBudget {
        moves: budget.moves.map(|moves| moves.saturating_sub(done.moves)),
        episodes: budget.episodes.map(|episodes| episodes.saturating_sub(done.episodes)),
        time: budget.time.map(|time| time.saturating_sub(done.elapsed)),
    }
}

/// Where a budget ends that begins after what was done before.
fn plan(before: &TrainingProgress, budget: &TrainingBudget) -> TrainingBudget {
    TrainingBudget {
        moves: budget.moves.map(|moves| moves.saturating_add(before.moves)),
        episodes: budget.episodes.map(|episodes| episodes.saturating_add(before.episodes)),
        time: budget.time.map(|time| time.saturating_add(before.elapsed)),
    }
}

/// The smaller of two limits.
fn sooner<T: Ord>(one: Option<T>, other: Option<T>) -> Option<T> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

impl<'a> Training<'a> {
    /// Trains, and saves what was learned. A failure leaves the model as it was at
    /// the last checkpoint.
    pub fn run(self) -> Result<Trained, Box<Broken>> {
        let budget = self.budget;
        let broken = |failure, saved: Option<TrainingProgress>| {
            let rest = rest(&budget, saved.as_ref().unwrap_or(&TrainingProgress::default()));
            Box::new(Broken { failure, rest, is_saved: saved.is_some() })
        };
        let mut course = Course::begin(self).map_err(|failure| broken(failure, None))?;
        match course.finish() {
            Ok(()) => Ok(course.trained()),
            Err(failure) => Err(broken(failure, course.saved)),
        }
    }
}

/// A training under way.
struct Course<'a> {
    training: Training<'a>,
    /// The form in which checkpoints are saved.
    form: String,
    before: TrainingProgress,
    now: TrainingProgress,
    /// What this training had done when the model was last written.
    saved: Option<TrainingProgress>,
    /// What was shown last, and after how many moves.
    evaluated: (u64, Vec<Evaluated>),
    watch: Mutex<Watch>,
}

/// What looks on.
struct Watch {
    display: Display,
    curve: Option<Curve>,
    failure: Option<Failure>,
}

impl Watch {
    /// Does something with the curve, if there is one; a failure is kept.
    fn curve(&mut self, task: impl FnOnce(&mut Curve) -> Result<(), FileError>) {
        if let (Some(curve), None) = (&mut self.curve, &self.failure) {
            self.failure = task(curve).err().map(Failure::from);
        }
    }
}

/// A thread that panicked while it looked on left nothing half done.
fn lock(watch: &Mutex<Watch>) -> MutexGuard<'_, Watch> {
    watch.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'a> Course<'a> {
    fn begin(mut training: Training<'a>) -> Result<Self, Failure> {
        interrupt::listen();
        let before = models::progress(training.learner)?;
        let tiles = &training.setting.game.rules.description().tiles;
        let display = Display::new(training.budget, before.clone(), tiles, training.plain);
        let watch = Watch { display, curve: training.curve.take(), failure: None };
        Ok(Self {
            form: models::full_form(training.learner)?,
            training,
            evaluated: (before.moves, Vec::new()),
            now: before.clone(),
            before,
            saved: None,
            watch: Mutex::new(watch),
        })
    }

    fn finish(&mut self) -> Result<(), Failure> {
        let mut idle = 0;
        while !self.is_over() {
            let moves = self.now.moves;
            self.learn()?;
            idle = if self.now.moves > moves { 0 } else { idle + 1 };
            if idle == IDLE_CALLS {
                let whose = &self.training.setting.player.whose;
                return Err(Failure::failed(format!("{whose} trains without making a move")));
            }
            if !self.is_over() && self.is_examination_due() {
                self.examine()?;
            }
            if !self.is_over() && self.is_checkpoint_due() {
                self.save()?;
                self.watch().curve(Curve::draw);
            }
        }
        self.save()?;
        if self.training.examination.is_some()
            && self.evaluated.0 < self.now.moves
            && !interrupt::asked()
        {
            self.examine()?;
        }
        let now = self.now.clone();
        let mut watch = self.watch();
        watch.curve(|curve| curve.end(&now));
        watch.curve(Curve::draw);
        match watch.failure.take() {
            Some(failure) => Err(failure),
            None => Ok(()),
        }
    }

    fn trained(self) -> Trained {
        let watch = self.watch.into_inner().unwrap_or_else(PoisonError::into_inner);
        let interrupted = !self.training.budget.is_spent(&self.now.since(&self.before));
        Trained {
            before: self.before,
            now: self.now,
            evaluated: self.evaluated.1,
            curve: watch.curve,
            interrupted,
        }
    }

    fn watch(&self) -> MutexGuard<'_, Watch> {
        lock(&self.watch)
    }

    fn done(&self) -> TrainingProgress {
        self.now.since(&self.before)
    }

    fn is_over(&self) -> bool {
        self.training.budget.is_spent(&self.done())
            || interrupt::asked()
            || self.watch().failure.is_some()
    }

    /// The time of the next checkpoint.
    fn next_checkpoint(&self) -> Option<Duration> {
        let saved = self.saved.as_ref().map_or(Duration::ZERO, |saved| saved.elapsed);
        self.training.checkpoint.map(|every| saved.saturating_add(every))
    }

    fn is_checkpoint_due(&self) -> bool {
        self.next_checkpoint().is_some_and(|next| self.done().elapsed >= next)
    }

    fn is_examination_due(&self) -> bool {
        let next = self.training.examination.map(|e| e.next(self.evaluated.0));
        next.is_some_and(|next| self.now.moves >= next)
    }

    /// One call: to the end, the next checkpoint or the next examination.
    fn learn(&mut self) -> Result<(), Failure> {
        let Training { setting, learner, seed, examination, .. } = self.training;
        let done = self.done();
        let mut budget = rest(&self.training.budget, &done);
        let next = self.next_checkpoint().map(|next| next.saturating_sub(done.elapsed));
        budget.time = sooner(budget.time, next);
        let next = examination.map(|e| e.next(self.evaluated.0).saturating_sub(self.now.moves));
        budget.moves = sooner(budget.moves, next);
        let (whole, before, watch) = (self.training.budget, self.before.clone(), &self.watch);
        let report = |now: &TrainingProgress| {
            let watch = &mut *lock(watch);
            watch.display.update(now);
            let share = whole.share(&now.since(&before));
            watch.curve(|curve| curve.update(share, now));
            match interrupt::asked() || watch.failure.is_some() {
                true => Control::Stop,
                false => Control::Continue,
            }
        };
        let plan = plan(&before, &whole);
        let host = &setting.services;
        let session = TrainingSession { budget, plan, seed, ..TrainingSession::new(host, &report) };
        let now = learner.train(&*setting.game.rules, &session).map_err(|Fault(fault)| {
            let whose = [setting.player.whose.as_str(), setting.game.whose.as_str()];
            Failure::failed(attributed(&fault, &whose))
        })?;
        self.now = now;
        Ok(())
    }

    fn save(&mut self) -> Result<(), Failure> {
        models::save(self.training.learner, self.training.model, &self.form)?;
        self.saved = Some(self.done());
        self.watch().curve(Curve::begin);
        Ok(())
    }

    /// Lets the learner show what it can; an interrupt leaves it at that.
    fn examine(&mut self) -> Result<(), Failure> {
        let Some(examination) = self.training.examination else { return Ok(()) };
        let Some(results) = examination.hold(self.training.setting)? else { return Ok(()) };
        let now = self.now.clone();
        for result in &results {
            self.watch().curve(|curve| curve.evaluation(&now, result));
        }
        self.evaluated = (now.moves, results);
        Ok(())
    }
}
