//! The collection of entrances of a stage, from games that are played with frozen weights.

use super::entrances::Entrances;
use super::game::TrainingGame;
use agent_ntuple_network::{Lookup, position};
use runner_core::Start;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Collects entrances of a stage.
pub struct Collection<'a> {
    stage: usize,
    /// The lookup of all stages.
    lookup: &'a Lookup,
    /// Number of entrances that are still wanted.
    left: AtomicUsize,
}

impl<'a> Collection<'a> {
    /// Creates the collection of up to `wanted` entrances of a stage of this lookup.
    pub fn new(stage: usize, lookup: &'a Lookup, wanted: usize) -> Self {
        Self { stage, lookup, left: AtomicUsize::new(wanted) }
    }

    /// Returns true if no more entrances are wanted.
    pub fn is_full(&self) -> bool {
        self.left.load(Relaxed) == 0
    }

    /// Adds the state of a game if it has reached the stage and the game has not ended there.
    /// Returns true if it has.
    pub fn add(&self, game: &TrainingGame, entrances: &Entrances<'_>) -> bool {
        let state = game.state;
        if game.successors.is_empty() || self.lookup.stage(position(state)) < self.stage {
            return false;
        }
        let take = |left: usize| left.checked_sub(1);
        if self.left.fetch_update(Relaxed, Relaxed, take).is_ok() {
            entrances.add(self.stage, Start { state, score: game.score });
        }
        true
    }
}
