//! Values that learn, and the input and output of a training.

use crate::{Fault, Game, Host, Random, Seed, State, Value};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::time::Duration;

/// A value that can train.
///
/// Weights are shared by all threads that train and play, so training takes `&self`:
/// implementations keep them in atomics.
pub trait Learner: Value {
    /// Trains until the budget is spent or the session says stop. Returns the progress of
    /// all trainings, including earlier ones.
    ///
    /// Games in progress when the budget is spent continue in the next call, so a
    /// training may be divided into calls anywhere.
    fn train<G: Game>(
        &self,
        game: &G,
        session: &TrainingSession<'_>,
    ) -> Result<TrainingProgress, Fault>;

    /// Returns the progress of all trainings, including those before its model file was
    /// saved.
    fn progress(&self) -> TrainingProgress;

    /// Returns the formats in which it can be saved. The first one holds everything that
    /// further training needs.
    fn formats(&self) -> Vec<ModelFormat>;

    /// Writes the model in one of its formats. The program passes a temporary path and
    /// renames the file, so a failed save never damages an existing model.
    fn save(&self, path: &Path, format: &str) -> Result<(), Fault>;

    /// Loads a model, to play or to train further. Of several files it loads the mean.
    fn load(&self, files: &[&Path]) -> Result<(), Fault>;
}

/// A format in which a learner can be saved.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ModelFormat {
    /// The name by which it is selected. A file whose name ends in `.NAME` is saved in
    /// this format.
    pub name: String,
    /// Contents and purpose of the file, in one line.
    pub about: String,
}

impl ModelFormat {
    /// Creates a format from its name and description.
    pub fn new(name: &str, about: &str) -> Self {
        Self { name: name.to_owned(), about: about.to_owned() }
    }
}

/// The length of a training. The training ends at the limit that is reached first; `None` is no
/// limit.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct TrainingBudget {
    /// Number of the player's moves.
    pub moves: Option<u64>,
    /// Number of finished games.
    pub episodes: Option<u64>,
    /// Time spent training.
    pub time: Option<Duration>,
}

impl TrainingBudget {
    /// Returns true if a training with this progress has reached a limit.
    pub fn is_spent(&self, done: &TrainingProgress) -> bool {
        self.moves.is_some_and(|m| done.moves >= m)
            || self.episodes.is_some_and(|e| done.episodes >= e)
            || self.time.is_some_and(|t| done.elapsed >= t)
    }

    /// Returns what a training with this progress leaves of the budget.
    #[must_use]
    pub fn rest(&self, done: &TrainingProgress) -> Self {
        Self {
            moves: self.moves.map(|moves| moves.saturating_sub(done.moves)),
            episodes: self.episodes.map(|episodes| episodes.saturating_sub(done.episodes)),
            time: self.time.map(|time| time.saturating_sub(done.elapsed)),
        }
    }

    /// Returns the share of the budget that a training with this progress has spent, 0 to
    /// 1: the largest share of any limit, 0 without limits.
    ///
    /// ```
    /// # use runner_core::{TrainingBudget, TrainingProgress};
    /// let budget = TrainingBudget { moves: Some(1000), episodes: Some(10), time: None };
    /// let done = TrainingProgress { moves: 300, episodes: 2, ..TrainingProgress::default() };
    /// assert_eq!(budget.share(&done), 0.3);
    /// assert_eq!(TrainingBudget::default().share(&done), 0.0);
    /// ```
    pub fn share(&self, done: &TrainingProgress) -> f64 {
        let spent = |done: f64, limit: Option<f64>| match limit {
            Some(limit) if done < limit => done / limit,
            Some(_) => 1.0,
            None => 0.0,
        };
        spent(done.moves as f64, self.moves.map(|m| m as f64))
            .max(spent(done.episodes as f64, self.episodes.map(|e| e as f64)))
            .max(spent(done.elapsed.as_secs_f64(), self.time.map(|t| t.as_secs_f64())))
    }
}

/// The progress of a learner over all its trainings.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct TrainingProgress {
    /// Number of the player's moves.
    pub moves: u64,
    /// Number of finished games.
    pub episodes: u64,
    /// Time spent training.
    pub elapsed: Duration,
    /// The number of recent games, at most 1000, that `mean` and `ended` describe.
    pub window: u64,
    /// Mean score of the recent games.
    pub mean: f64,
    /// The max tiles at the end of the recent games, by [`Game::max_tile`]: each tile, in ascending
    /// order, with the number of games that ended with it. Empty for a game without tiles.
    pub ended: Vec<(u64, u64)>,
    /// The latest figure of each further series by its name, such as `loss`. The names and their
    /// order stay the same during a training.
    pub series: Vec<(String, f64)>,
}

impl TrainingProgress {
    /// Returns the progress with moves, games and time counted from `before`. If `before` is the
    /// progress at the beginning of a session, the result is what
    /// [`TrainingSession::budget`] limits.
    pub fn since(&self, before: &TrainingProgress) -> TrainingProgress {
        TrainingProgress {
            moves: self.moves.saturating_sub(before.moves),
            episodes: self.episodes.saturating_sub(before.episodes),
            elapsed: self.elapsed.saturating_sub(before.elapsed),
            ..self.clone()
        }
    }

    /// Returns the largest [`Game::max_tile`] of the recent games, or 0 if there is none.
    pub fn max_tile(&self) -> u64 {
        self.ended.last().map_or(0, |&(tile, _)| tile)
    }

    /// Returns the latest figure of a series.
    pub fn figure(&self, name: &str) -> Option<f64> {
        self.series.iter().find(|(known, _)| known == name).map(|(_, figure)| *figure)
    }
}

/// The answer of a session to a progress report.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Control {
    /// Continue training.
    Continue,
    /// Finish and return.
    Stop,
}

/// A position to start a game from, with the score that the game had when it was reached.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
#[repr(C)]
pub struct Start {
    /// The position.
    pub state: State,
    /// The score.
    pub score: f64,
}

impl Start {
    /// Returns a start position of the rules, with its [`Game::chance_reward`] as the score.
    pub fn new<G: Game>(game: &G, state: State) -> Self {
        let points = if game.has_chance_rewards() { game.chance_reward(None, state) } else { 0.0 };
        Self { state, score: f64::from(points) }
    }
}

/// The input of a training.
pub struct TrainingSession<'a> {
    /// How long to train in this call.
    pub budget: TrainingBudget,
    /// The end of all trainings of the learner, counted like [`Learner::progress`]. Schedules of
    /// step sizes depend on it. It has no limit if no end is known; a learner with such a
    /// schedule then fails.
    pub plan: TrainingBudget,
    /// Seed of the training: see [`random`](Self::random).
    pub seed: Seed,
    /// The threads to train on.
    pub host: &'a dyn Host,
    /// Receives the progress several times a second, from one thread at a time, and
    /// answers whether to stop.
    pub report: &'a (dyn Fn(&TrainingProgress) -> Control + Sync),
    /// Positions that games start from, each equally likely, with the scores to count
    /// from. If empty, games start as the rules say. A learner that has its own starting
    /// positions may ignore them.
    pub starts: &'a [Start],
}

impl<'a> TrainingSession<'a> {
    /// Creates a session without a budget, a plan and starts, with seed 1. Set the other
    /// fields with struct update syntax.
    pub fn new(
        host: &'a dyn Host,
        report: &'a (dyn Fn(&TrainingProgress) -> Control + Sync),
    ) -> Self {
        Self {
            budget: TrainingBudget::default(),
            plan: TrainingBudget::default(),
            seed: Seed(1),
            host,
            report,
            starts: &[],
        }
    }

    /// Returns the random stream of a training game, counted from the learner's first. No
    /// evaluation with the same seed draws from it.
    ///
    /// ```
    /// # use runner_core::*;
    /// # let report = |_: &TrainingProgress| Control::Continue;
    /// let session = TrainingSession::new(&SingleThread, &report);
    /// assert_eq!(session.random(7), Random::training_stream(Seed(1), 7));
    /// assert_ne!(session.random(7), Random::stream(Seed(1), 7));
    /// ```
    pub fn random(&self, game: u64) -> Random {
        Random::training_stream(self.seed, game)
    }
}
