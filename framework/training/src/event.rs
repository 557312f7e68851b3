//! The events of a training under way.

use runner_core::{TrainingBudget, TrainingProgress};
use runner_play::evaluation;

/// An event of a training, or of an evaluation of its learner.
pub enum TrainingEvent<'a> {
    /// In a series of trainings, the one with this name comes next.
    Next(&'a str),
    Begin {
        /// Progress of the learner so far.
        before: &'a TrainingProgress,
        /// The budget of this training, from now on.
        budget: TrainingBudget,
        tiles: &'a [u64],
    },
    /// The learner reports its progress.
    Progress(&'a TrainingProgress),
    /// The games of an evaluation with this name are under way.
    Evaluation(&'a str, &'a evaluation::Progress),
    End,
    /// Something that the user should know.
    Note(String),
}

/// Receives the events, on any thread.
pub type TrainingWatch<'a> = &'a mut (dyn FnMut(TrainingEvent<'_>) + Send);
