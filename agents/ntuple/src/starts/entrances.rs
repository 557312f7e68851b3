//! The entrances of stages: positions at which training games have entered a later stage.

use agent_ntuple_files::StageEntrances;
use agent_ntuple_network::{Lookup, position};
use runner_core::{Random, Start, locked, unpoisoned};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard};

/// The entrances of all stages after the first, shared by the threads of a training.
///
/// A game enters a stage when it reaches a higher stage than ever before. The position is the state
/// after the chance outcome that follows the first afterstate of the stage.
pub struct Entrances {
    /// At n - 1 those of stage n.
    stages: Vec<Mutex<StageEntrances>>,
    /// Number of recent entrances that are kept of each stage.
    keep: usize,
}

impl Entrances {
    pub fn new(mut earlier: Vec<StageEntrances>, stages: usize, keep: usize) -> Self {
        earlier.resize_with(stages - 1, StageEntrances::default);
        Self { stages: earlier.into_iter().map(Mutex::new).collect(), keep }
    }

    /// Adds an entrance of a stage, which is at least 1.
    pub fn add(&self, stage: usize, start: Start) {
        let mut entrances = self.lock(stage);
        entrances.count += 1;
        entrances.recent.push_back(start);
        while entrances.recent.len() > self.keep {
            entrances.recent.pop_front();
        }
    }

    /// Returns the first stage from `stage` on, which is at least 1, that has an entrance.
    pub fn next_known(&self, stage: usize) -> Option<usize> {
        (stage..=self.stages.len()).find(|&stage| !self.lock(stage).recent.is_empty())
    }

    /// Returns a random stage that has an entrance, if any has one.
    pub fn random_known(&self, random: &mut Random) -> Option<usize> {
        let is_known = |stage: &usize| !self.lock(*stage).recent.is_empty();
        let known: Vec<usize> = (1..=self.stages.len()).filter(is_known).collect();
        match known.len() {
            0 => None,
            count => Some(known[random.below(count as u32) as usize]),
        }
    }

    pub fn choose(&self, stage: usize, random: &mut Random) -> Option<Start> {
        let recent = &self.lock(stage).recent;
        match recent.len() {
            0 => None,
            count => Some(recent[random.below(count as u32) as usize]),
        }
    }

    /// Returns entrance number `number` of a stage, modulo their number; `None` if there is none, or
    /// the stage is 0.
    pub fn in_turn(&self, stage: usize, number: u64) -> Option<Start> {
        if stage == 0 {
            return None;
        }
        let recent = &self.lock(stage).recent;
        recent.get(number.checked_rem(recent.len() as u64)? as usize).copied()
    }

    pub fn counts(&self) -> Vec<u64> {
        (1..=self.stages.len()).map(|stage| self.lock(stage).count).collect()
    }

    pub fn into_stages(self) -> Vec<StageEntrances> {
        let inner = |stage: Mutex<_>| unpoisoned(stage.into_inner());
        self.stages.into_iter().map(inner).collect()
    }

    fn lock(&self, stage: usize) -> MutexGuard<'_, StageEntrances> {
        locked(&self.stages[stage - 1])
    }
}

/// The collection of entrances of a stage, from games that are played with frozen weights.
pub struct Collection<'a> {
    stage: usize,
    lookup: &'a Lookup,
    left: AtomicUsize,
}

impl<'a> Collection<'a> {
    pub fn new(stage: usize, lookup: &'a Lookup, wanted: usize) -> Self {
        Self { stage, lookup, left: AtomicUsize::new(wanted) }
    }

    pub fn is_full(&self) -> bool {
        self.left.load(Relaxed) == 0
    }

    /// Adds the position of a game if it has reached the stage. Returns true if it has.
    pub fn add(&self, start: Start, entrances: &Entrances) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_entrances_are_counted_and_the_last_are_kept() {
        let entrances = Entrances::new(Vec::new(), 2, 2);
        let start = |score| Start { score, ..Start::default() };
        [1.0, 2.0, 3.0].into_iter().for_each(|score| entrances.add(1, start(score)));
        let kept = [start(2.0), start(3.0)].into();
        assert_eq!(entrances.into_stages(), [StageEntrances { count: 3, recent: kept }]);
    }
}
