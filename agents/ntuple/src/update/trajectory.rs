//! The steps of a game in training.

use agent_ntuple_network::WeightIndex;
use runner_core::{Action, Afterstate};

/// Unused entries at the end of each list of a trajectory: two cache lines. The lists of games
/// on different threads may be adjacent in memory, and would otherwise share a line.
const PADDING: usize = 32;

/// One step of a game, as a learner sees it.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// The afterstate, or the state if states or actions are learned.
    pub position: Afterstate,
    /// The reward since the step before.
    pub reward: f32,
    /// The action taken if actions are learned, else the first action.
    pub action: Action,
}

/// The steps of one game: the latest ones with the indices of their weights, and all of them for
/// schemes that update after the game.
#[derive(Clone, Debug)]
pub struct Trajectory {
    /// Number of weights of a step.
    per_step: usize,
    /// Maximum number of kept steps: those whose indices and notes can be read.
    max_kept: usize,
    /// The number of slots of the rings, a power of two, less one. Step k is in slot `k & mask`.
    mask: usize,
    /// The indices of the latest steps, a ring of `per_step` per slot.
    indices: Vec<WeightIndex>,
    /// One number per slot. The update scheme decides what it means: for `Delayed` the error of the
    /// step, for `NStep` the sum of the rewards since the step.
    notes: Vec<f32>,
    length: usize,
    /// All steps, if the scheme updates after the game.
    pub path: Vec<Step>,
}

impl Trajectory {
    /// Creates an empty trajectory that keeps the last `max_kept` steps, of `per_step` weights
    /// each.
    pub fn new(per_step: usize, max_kept: usize) -> Self {
        let slots = max_kept.next_power_of_two();
        let indices = vec![WeightIndex::default(); per_step * slots + PADDING];
        let notes = vec![0.0; slots + PADDING];
        Self { per_step, max_kept, mask: slots - 1, indices, notes, length: 0, path: vec![] }
    }

    /// Returns the trajectory for a part of the lookup, which has the weights with these numbers
    /// among those of each step.
    pub fn part(&self, numbers: &[usize]) -> Self {
        let mut part = Self::new(numbers.len(), self.max_kept);
        part.length = self.length;
        part.notes.copy_from_slice(&self.notes);
        for slot in 0..=self.mask {
            let from = &self.indices[slot * self.per_step..][..self.per_step];
            let to = &mut part.indices[slot * part.per_step..][..part.per_step];
            for (index, &number) in to.iter_mut().zip(numbers) {
                *index = from[number];
            }
        }
        part
    }

    /// Replaces the weights with these numbers among those of each step by those of a part, and
    /// takes the length and the notes of the part.
    pub fn set_part(&mut self, part: &Self, numbers: &[usize]) {
        self.length = part.length;
        self.notes.copy_from_slice(&part.notes);
        for slot in 0..=self.mask {
            let from = &part.indices[slot * part.per_step..][..part.per_step];
            let to = &mut self.indices[slot * self.per_step..][..self.per_step];
            for (&index, &number) in from.iter().zip(numbers) {
                to[number] = index;
            }
        }
    }

    pub fn clear(&mut self) {
        self.length = 0;
        self.path.clear();
    }

    pub fn length(&self) -> usize {
        self.length
    }

    pub fn kept(&self) -> usize {
        self.length.min(self.max_kept)
    }

    #[inline(always)]
    fn slot_back(&self, back: usize) -> usize {
        debug_assert!(back < self.kept());
        (self.length - 1 - back) & self.mask
    }

    /// Returns the weight indices of the step `back` steps before the last.
    #[inline(always)]
    pub fn indices(&self, back: usize) -> &[WeightIndex] {
        let start = self.slot_back(back) * self.per_step;
        &self.indices[start..start + self.per_step]
    }

    /// Returns the number that was noted for the step `back` steps before the last.
    pub fn note(&self, back: usize) -> f32 {
        self.notes[self.slot_back(back)]
    }

    pub fn set_note(&mut self, back: usize, note: f32) {
        let slot = self.slot_back(back);
        self.notes[slot] = note;
    }

    /// Adds a step, with the note 0.
    #[inline(always)]
    pub fn push(&mut self, indices: &[WeightIndex]) {
        let slot = self.length & self.mask;
        self.notes[slot] = 0.0;
        let start = slot * self.per_step;
        let kept = &mut self.indices[start..start + self.per_step];
        // The lookup has just written the indices, eight with each store, and a load of eight gets
        // them from that store. A wider load would have to wait until several stores are done.
        let (eights, rest) = indices.as_chunks::<8>();
        let (kept_eights, kept_rest) = kept.as_chunks_mut::<8>();
        for (kept_eight, eight) in kept_eights.iter_mut().zip(eights) {
            *kept_eight = *eight;
        }
        kept_rest.copy_from_slice(rest);
        self.length += 1;
    }
}
