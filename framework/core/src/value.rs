//! Estimates of positions, and those that learn.

use crate::lines::LineValues;
use crate::{Afterstate, Fault, Game, Host, MAX_ACTIONS, Seed, State, Successors};
use std::path::Path;
use std::time::Duration;

/// An estimate of what is still to be earned from an afterstate.
pub trait Value: Send + Sync {
    /// Writes the estimate of each afterstate to its place in `values`: many at
    /// a time, so that an implementation can overlap its memory reads. Both
    /// slices have the same length.
    fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]);

    /// Whether it knows of the actions of a state what they are worth, and nothing
    /// of afterstates: it then plays by [`weigh`](Value::action_values), and
    /// [`evaluate`](Value::evaluate) is a fault.
    fn estimates_actions(&self) -> bool {
        false
    }

    /// Writes what each action of the state is worth, its reward and all that is
    /// still to be earned: by default its reward and the estimate of what it leads
    /// to. `worths` is as long as the list of successors.
    fn action_values(
        &self,
        game: &dyn Game,
        state: State,
        successors: &Successors,
        worths: &mut [f32],
    ) {
        let _ = (game, state);
        afterstate_action_values(self, successors, worths);
    }

    /// Writes what it knows for certain: the worth of each afterstate if the best is
    /// done from there on, or NaN where it does not know that. Searches ask before they
    /// look further.
    fn exact_values(&self, afterstates: &[Afterstate], worths: &mut [f32]) {
        let _ = afterstates;
        worths.fill(f32::NAN);
    }

    /// What the estimates mean.
    fn scale(&self) -> ValueScale {
        ValueScale::Points
    }

    /// The estimates as tables, where each is the sum of what the lines of a board are
    /// worth: searches that hold them estimate many times as fast. They say the same as
    /// [`evaluate`](Value::evaluate) for every board without a rank above 15.
    fn line_values(&self) -> Option<&LineValues> {
        None
    }
}

/// What the estimates of a value mean.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ValueScale {
    /// What is still to be earned, in points: what a move earns adds to it, and a game
    /// that is over is worth nothing more.
    Points,
    /// How good the position is by a measure of its own, to which what was earned on
    /// the way adds nothing.
    Rating {
        /// The worth of a game that is over. No estimate is less.
        min: f32,
        /// No estimate is more.
        max: f32,
    },
}

impl ValueScale {
    /// How much a reward counts beside an estimate.
    pub fn reward_weight(self) -> f32 {
        match self {
            Self::Points => 1.0,
            Self::Rating { .. } => 0.0,
        }
    }

    /// The worth of a game that is over.
    pub fn terminal_value(self) -> f32 {
        match self {
            Self::Points => 0.0,
            Self::Rating { min: least, .. } => least,
        }
    }
}

/// [`Value::action_values`] by reward and estimate.
pub fn afterstate_action_values<V: Value + ?Sized>(
    value: &V,
    successors: &Successors,
    worths: &mut [f32],
) {
    let mut afterstates = [Afterstate::default(); MAX_ACTIONS];
    for (slot, s) in afterstates.iter_mut().zip(successors.iter()) {
        *slot = s.afterstate;
    }
    value.evaluate(&afterstates[..successors.len()], worths);
    let rewards = value.scale().reward_weight();
    worths.iter_mut().zip(successors.iter()).for_each(|(worth, s)| *worth += rewards * s.reward);
}

/// A value that can train.
///
/// Weights are shared by all threads that train and play, so training takes
/// `&self`: implementations keep them in atomics.
pub trait Learner: Value {
    /// Trains until the budget is spent or the session says stop, and returns
    /// what has been done so far, earlier trainings included.
    ///
    /// Games that are under way when the budget is spent go on in the next call,
    /// so a training may be cut into calls anywhere.
    fn train<G: Game>(
        &self,
        game: &G,
        session: &TrainingSession<'_>,
    ) -> Result<TrainingProgress, Fault>;

    /// What it has done so far, in all trainings, those that its file told of
    /// included.
    fn progress(&self) -> TrainingProgress;

    /// The forms in which it can be saved; the first holds everything that is
    /// needed to go on learning.
    fn formats(&self) -> Vec<ModelFormat>;

    /// Writes it in one of its forms. The runner gives a path of its own beside
    /// the model's and renames it, so a failed save never harms an existing model.
    fn save(&self, path: &Path, form: &str) -> Result<(), Fault>;

    /// Takes over what was saved, to play or to go on; of several files, their
    /// mean.
    fn load(&self, files: &[&Path]) -> Result<(), Fault>;
}

/// A form in which a learner can be saved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ModelFormat {
    /// By this name it is asked for; a file whose name ends in `.NAME` is taken to
    /// be meant so.
    pub name: String,
    /// What it holds and what it is good for, in one line.
    pub about: String,
}

impl ModelFormat {
    /// A form with its name and what it is good for.
    pub fn new(name: &str, about: &str) -> Self {
        Self { name: name.to_owned(), about: about.to_owned() }
    }
}

/// How long to train: whatever limit is reached first.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct TrainingBudget {
    /// Player's moves.
    pub moves: Option<u64>,
    /// Whole games.
    pub episodes: Option<u64>,
    /// Time on the clock.
    pub time: Option<Duration>,
}

impl TrainingBudget {
    /// Whether a training that has come this far is done.
    pub fn is_spent(&self, done: &TrainingProgress) -> bool {
        self.moves.is_some_and(|m| done.moves >= m)
            || self.episodes.is_some_and(|e| done.episodes >= e)
            || self.time.is_some_and(|t| done.elapsed >= t)
    }

    /// How much of it a training that has come this far has spent, from 0 to 1:
    /// the largest share of any limit, 0 where there is none.
    ///
    /// ```
    /// # use runner_core::{TrainingBudget, TrainingProgress};
    /// let budget = TrainingBudget { moves: Some(1000), episodes: Some(10), ..TrainingBudget::default() };
    /// let done = TrainingProgress { moves: 300, episodes: 2, ..TrainingProgress::default() };
    /// assert_eq!(budget.share(&done), 0.3);
    /// assert_eq!(TrainingBudget::default().share(&done), 0.0);
    /// ```
    pub fn share(&self, done: &TrainingProgress) -> f64 {
        let share = |done: f64, limit: Option<f64>| match limit {
            Some(limit) if done < limit => done / limit,
            Some(_) => 1.0,
            None => 0.0,
        };
        share(done.moves as f64, self.moves.map(|m| m as f64))
            .max(share(done.episodes as f64, self.episodes.map(|e| e as f64)))
            .max(share(done.elapsed.as_secs_f64(), self.time.map(|t| t.as_secs_f64())))
    }
}

/// How many tiles [`TrainingProgress::ended`] tells apart.
pub const COUNTED_TILES: usize = 32;

/// What a learner has done in its life.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
#[repr(C)]
pub struct TrainingProgress {
    /// Player's moves made.
    pub moves: u64,
    /// Games finished.
    pub episodes: u64,
    /// Time spent training.
    pub elapsed: Duration,
    /// Over how many of the last games, 1000 at most, the next three were taken.
    pub window: u64,
    /// Mean score of these games.
    pub mean: f64,
    /// The greatest tile of these games, 0 where there is none.
    pub max_tile: u64,
    /// Of these games, how many ended with each of the description's tiles as
    /// their greatest: of the first 32 tiles.
    pub ended: [u32; COUNTED_TILES],
}

impl TrainingProgress {
    /// The same with what was done before taken off: what a [`TrainingSession::budget`]
    /// is held against, if `before` is what there was when the call began.
    pub fn since(&self, before: &TrainingProgress) -> TrainingProgress {
        TrainingProgress {
            moves: self.moves.saturating_sub(before.moves),
            episodes: self.episodes.saturating_sub(before.episodes),
            elapsed: self.elapsed.saturating_sub(before.elapsed),
            ..*self
        }
    }
}

/// What the session answers to a report.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Control {
    /// Go on.
    Continue,
    /// Finish cleanly and return.
    Stop,
}

/// What a training is given.
pub struct TrainingSession<'a> {
    /// How long to train in this call.
    pub budget: TrainingBudget,
    /// Where the whole training is to end, counted as [`Learner::progress`]
    /// counts: what step sizes that change with time go by. Empty where there is no
    /// end, which a learner whose course depends on it refuses.
    pub plan: TrainingBudget,
    /// Game `k` of the learner's life draws from stream `k` of this seed.
    pub seed: Seed,
    /// The threads to train on.
    pub host: &'a dyn Host,
    /// Where progress goes, several times a second and from one thread at a time,
    /// and where the wish to stop comes from.
    pub report: &'a (dyn Fn(&TrainingProgress) -> Control + Sync),
}
