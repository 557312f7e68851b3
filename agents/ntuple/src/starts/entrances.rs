//! The entrances of stages: positions at which training games have entered a stage.

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
    /// The entrances of stage n are at n - 1: a game does not enter stage 0, it begins there.
    stages: Vec<Mutex<StageEntrances>>,
    /// Maximum number of recent entrances that are kept of each stage.
    most_kept: usize,
}

impl Entrances {
    /// Creates the entrances for a network with this number of stages; `earlier` are those of the
    /// trainings before.
    pub fn new(mut earlier: Vec<StageEntrances>, stages: usize, most_kept: usize) -> Self {
        earlier.resize_with(stages - 1, StageEntrances::default);
        Self { stages: earlier.into_iter().map(Mutex::new).collect(), most_kept }
    }

    /// Takes the start positions that lie in a later stage as entrances of this stage, if it has none
    /// yet, and returns the other start positions.
    pub fn take_starts(&self, starts: &[Start], lookup: &Lookup) -> Vec<Start> {
        let with_entrance = self.stages_with_entrance();
        let mut first_stage = Vec::new();
        for &start in starts {
            let stage = lookup.stage(position(start.state));
            if stage == 0 {
                first_stage.push(start);
            } else if !with_entrance.contains(&stage) {
                self.keep(&mut self.lock(stage), start);
            }
        }
        first_stage
    }

    /// Adds an entrance of a stage, which is at least 1.
    pub fn add(&self, stage: usize, start: Start) {
        let mut entrances = self.lock(stage);
        entrances.count += 1;
        self.keep(&mut entrances, start);
    }

    fn keep(&self, entrances: &mut StageEntrances, start: Start) {
        entrances.recent.push_back(start);
        while entrances.recent.len() > self.most_kept {
            entrances.recent.pop_front();
        }
    }

    /// Returns the stages that have an entrance, the first one first.
    pub fn stages_with_entrance(&self) -> Vec<usize> {
        (1..=self.stages.len()).filter(|&stage| !self.lock(stage).recent.is_empty()).collect()
    }

    pub fn choose(&self, stage: usize, random: &mut Random) -> Option<Start> {
        let recent = &self.lock(stage).recent;
        match recent.len() {
            0 => None,
            count => Some(recent[random.below(count as u32) as usize]),
        }
    }

    /// Returns the entrance with which whole game number `number` begins: the entrances of the
    /// stage are taken in turn. Returns `None` if the stage has none, and for stage 0.
    pub fn in_turn(&self, stage: usize, number: u64) -> Option<Start> {
        if stage == 0 {
            return None;
        }
        let recent = &self.lock(stage).recent;
        let place = number.checked_rem(recent.len() as u64)?;
        Some(recent[place as usize])
    }

    /// Returns the number of entrances of each stage from stage 1 on, with those that are not kept.
    pub fn counts(&self) -> Vec<u64> {
        (1..=self.stages.len()).map(|stage| self.lock(stage).count).collect()
    }

    pub fn into_stages(self) -> Vec<StageEntrances> {
        self.stages.into_iter().map(|stage| unpoisoned(stage.into_inner())).collect()
    }

    fn lock(&self, stage: usize) -> MutexGuard<'_, StageEntrances> {
        locked(&self.stages[stage - 1])
    }
}

/// Collects entrances of a stage, from games that are played with frozen weights, until enough are
/// collected.
pub struct Collection<'a> {
    stage: usize,
    lookup: &'a Lookup,
    /// Number of entrances that are still wanted.
    left: AtomicUsize,
}

impl<'a> Collection<'a> {
    pub fn new(stage: usize, lookup: &'a Lookup, wanted: usize) -> Self {
        Self { stage, lookup, left: AtomicUsize::new(wanted) }
    }

    pub fn is_full(&self) -> bool {
        self.left.load(Relaxed) == 0
    }

    /// Returns true if the position of a game has reached the stage. Then it is added to the
    /// entrances, unless another thread has added the last one that was wanted.
    pub fn add_if_reached(&self, start: Start, entrances: &Entrances) -> bool {
        if self.lookup.stage(position(start.state)) < self.stage {
            return false;
        }
        if self.left.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1)).is_ok() {
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
        let [first, second, third] =
            [1.0, 2.0, 3.0].map(|score| Start { score, ..Start::default() });
        for start in [first, second, third] {
            entrances.add(1, start);
        }
        let recent = [second, third].into();
        assert_eq!(entrances.into_stages(), [StageEntrances { count: 3, recent }]);
    }
}
