//! Estimates of positions, and those that learn.

use crate::{Afterstate, Fault, Game, Host, Seed};
use std::path::Path;
use std::time::Duration;

/// An estimate of what is still to be earned from an afterstate.
pub trait Value: Send + Sync {
    /// Writes the estimate of each afterstate to its place in `values`: many at
    /// a time, so that an implementation can overlap its memory reads. Both
    /// slices have the same length.
    fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]);
}

/// A value that can train.
///
/// Weights are shared by all threads that train and play, so training takes
/// `&self`: implementations keep them in atomics.
pub trait Learner: Value {
    /// Trains until the budget is spent or the session says stop, and returns
    /// what was done.
    ///
    /// It asks [`Session::report`] often (several times a second), from one
    /// thread, with what has been done since the training began.
    fn train<G: Game>(&self, game: &G, session: &Session<'_>) -> Result<Progress, Fault>;

    /// Writes everything that is needed to play and to go on learning. The
    /// runner gives a path of its own beside the model's and renames it, so a
    /// failed save never harms an existing model.
    fn save(&self, path: &Path) -> Result<(), Fault>;

    /// Takes over what [`save`](Learner::save) wrote, to go on from there.
    fn load(&self, path: &Path) -> Result<(), Fault>;
}

/// How long to train: whatever limit is reached first.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Budget {
    /// Player's moves.
    pub moves: Option<u64>,
    /// Whole games.
    pub episodes: Option<u64>,
    /// Time on the clock.
    pub time: Option<Duration>,
}

impl Budget {
    /// Whether a training that has come this far is done.
    pub fn is_spent(&self, done: &Progress) -> bool {
        self.moves.is_some_and(|m| done.moves >= m)
            || self.episodes.is_some_and(|e| done.episodes >= e)
            || self.time.is_some_and(|t| done.elapsed >= t)
    }
}

/// What a training has done so far.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
#[repr(C)]
pub struct Progress {
    /// Player's moves made.
    pub moves: u64,
    /// Games finished.
    pub episodes: u64,
    /// Time spent.
    pub elapsed: Duration,
    /// Over how many of the last games the next two were taken.
    pub window: u64,
    /// Mean score of the last games.
    pub mean: f64,
    /// The greatest tile of the last games, 0 where there is none.
    pub greatest_tile: u64,
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
pub struct Session<'a> {
    /// How long to train.
    pub budget: Budget,
    /// Game `k` draws from stream `k` of this seed, `first_episode` on.
    pub seed: Seed,
    /// The number of the first game: not 0 when a training is resumed.
    pub first_episode: u64,
    /// The threads to train on.
    pub host: &'a dyn Host,
    /// Where progress goes, and where the wish to stop comes from.
    pub report: &'a (dyn Fn(&Progress) -> Control + Sync),
}
