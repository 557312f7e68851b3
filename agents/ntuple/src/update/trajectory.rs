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
    pub reward: f32,
    /// The action taken if actions are learned, else the first.
    pub action: Action,
}

/// The steps of one game: the last ones with the indices of their weights, and all of them for
/// schemes that update after the game.
#[derive(Clone, Debug)]
pub struct Trajectory {
    per_step: usize,
    kept: usize,
    /// The length of the rings less one.
    mask: usize,
    /// The indices of the last steps, as a ring.
    indices: Vec<WeightIndex>,
    /// One number per kept step, for the update scheme.
    notes: Vec<f32>,
    length: usize,
    /// All steps, if the scheme updates after the game.
    pub path: Vec<Step>,
}

impl Trajectory {
    /// Creates an empty trajectory that keeps the last `kept` steps, of `per_step` weights each.
    pub fn new(per_step: usize, kept: usize) -> Self {
        // A power of two needs no division.
        let ring = kept.next_power_of_two();
        let indices = vec![WeightIndex::default(); per_step * ring + PADDING];
        let notes = vec![0.0; ring + PADDING];
        Self { per_step, kept, mask: ring - 1, indices, notes, length: 0, path: vec![] }
    }

    /// Returns the trajectory with these of the weights of each step alone.
    pub fn part(&self, positions: &[usize]) -> Self {
        let mut part = Self::new(positions.len(), self.kept);
        part.length = self.length;
        part.notes.copy_from_slice(&self.notes);
        for slot in 0..=self.mask {
            let step = &self.indices[slot * self.per_step..][..self.per_step];
            let indices = &mut part.indices[slot * part.per_step..][..part.per_step];
            for (index, &position) in indices.iter_mut().zip(positions) {
                *index = step[position];
            }
        }
        part
    }

    /// Replaces these of the weights of each step by those of a part, and the notes and the length by its
    /// own.
    pub fn set_part(&mut self, part: &Self, positions: &[usize]) {
        self.length = part.length;
        self.notes.copy_from_slice(&part.notes);
        for slot in 0..=self.mask {
            let indices = &part.indices[slot * part.per_step..][..part.per_step];
            let step = &mut self.indices[slot * self.per_step..][..self.per_step];
            for (&index, &position) in indices.iter().zip(positions) {
                step[position] = index;
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
        self.length.min(self.kept)
    }

    /// Returns the position in the ring of a step.
    #[inline(always)]
    fn slot(&self, step: usize) -> usize {
        step & self.mask
    }

    #[inline(always)]
    fn slot_back(&self, back: usize) -> usize {
        debug_assert!(back < self.kept());
        self.slot(self.length - 1 - back)
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

    /// Notes a number for the step `back` steps before the last.
    pub fn set_note(&mut self, back: usize, note: f32) {
        let slot = self.slot_back(back);
        self.notes[slot] = note;
    }

    /// Adds a step, with the note 0.
    #[inline(always)]
    pub fn push(&mut self, indices: &[WeightIndex]) {
        let slot = self.slot(self.length);
        self.notes[slot] = 0.0;
        let start = slot * self.per_step;
        let kept = &mut self.indices[start..start + self.per_step];
        // Copies eight at a time, as the lookup wrote them: a wider load could not be forwarded
        // from those stores and would stall.
        let (eights, rest) = indices.as_chunks::<8>();
        let (kept_eights, kept_rest) = kept.as_chunks_mut::<8>();
        for (kept, eight) in kept_eights.iter_mut().zip(eights) {
            *kept = *eight;
        }
        kept_rest.copy_from_slice(rest);
        self.length += 1;
    }
}
