//! The collection of entrances of a stage, from games that are played with frozen weights.

use super::entrances::Entrances;
use agent_ntuple_network::{Lookup, position};
use runner_core::Start;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

pub struct Collection<'a> {
    stage: usize,
    lookup: &'a Lookup,
    left: AtomicUsize,
}

impl<'a> Collection<'a> {
    pub fn new(stage: usize, lookup: &'a Lookup, wanted: usize) -> Self {
        Self { stage, lookup, left: AtomicUsize::new(wanted) }
    }

    /// Returns true if no more entrances are wanted.
    pub fn is_full(&self) -> bool {
        self.left.load(Relaxed) == 0
    }

    /// Adds the position of a game if it has reached the stage. Returns true if it has.
    pub fn add(&self, start: Start, entrances: &Entrances<'_>) -> bool {
        if self.lookup.stage(position(start.state)) < self.stage {
            return false;
        }
        let take = |left: usize| left.checked_sub(1);
        if self.left.fetch_update(Relaxed, Relaxed, take).is_ok() {
            entrances.add(self.stage, start);
        }
        true
    }
}
