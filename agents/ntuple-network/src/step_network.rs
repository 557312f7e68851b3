//! A network that only evaluates, in a quarter to a ninth of the memory: each weight is a number
//! of steps, and a block of weights that are all zero is not stored.

use crate::evaluation::evaluate;
use crate::index::WeightIndex;
use crate::lookup::Lookup;
use crate::memory::{Entries, Region};
use crate::weight::sum_of_steps;
use runner_core::{Afterstate, locked};
use std::io;
use std::sync::Mutex;
use std::sync::atomic::{AtomicI16, AtomicU32, Ordering::Relaxed};

/// Number of low bits of a weight's index, which are its position within its block. Smaller blocks
/// store fewer zeros, but there are more: 2^9 weights take the least memory in 2048.
const BLOCK_BITS: u32 = 9;

/// Number of weights of a block.
const BLOCK: u32 = 1 << BLOCK_BITS;

/// Number of blocks of the largest network.
const BLOCKS: usize = 1 << (32 - BLOCK_BITS);

/// A network whose weights are multiples of a step.
pub struct StepNetwork {
    pub lookup: Lookup,
    /// For each block of weights, the summand from an index to its entry in `steps`, modulo 2^32.
    /// For a block that is not stored, it is minus the first index: the entries from 0 on are
    /// zero.
    blocks: Region<AtomicU32>,
    /// Weights as numbers of steps, in half of the memory of floats.
    steps: Region<AtomicI16>,
    /// Number of entries of `steps` in use.
    used: Mutex<u32>,
    step: f32,
}

impl StepNetwork {
    pub fn new(lookup: Lookup, step: f32) -> io::Result<Self> {
        let blocks = Region::<AtomicU32>::new(BLOCKS)?;
        for first in (0..lookup.weights()).step_by(BLOCK as usize) {
            blocks[first >> BLOCK_BITS].store((first as u32).wrapping_neg(), Relaxed);
        }
        // The system provides the memory of entries when they are used.
        let entries = lookup.weights().next_multiple_of(BLOCK as usize) + BLOCK as usize;
        assert!(u32::try_from(entries).is_ok(), "entries have 32-bit numbers");
        let steps = Region::new(entries)?;
        Ok(Self { lookup, blocks, steps, used: Mutex::new(BLOCK), step })
    }

    /// Sets the number of steps of the weight at a place of model files.
    pub fn set(&self, place: usize, steps: i16) {
        self.set_at(self.lookup.index_of(place) as u32, steps);
    }

    fn set_at(&self, index: u32, steps: i16) {
        let first = index & !(BLOCK - 1);
        let summand = &self.blocks[index as usize >> BLOCK_BITS];
        let is_stored = || summand.load(Relaxed) != first.wrapping_neg();
        if !is_stored() {
            if steps == 0 {
                return;
            }
            let mut used = locked(&self.used);
            // Another thread may have stored the block before this one got the lock.
            if !is_stored() {
                summand.store(used.wrapping_sub(first), Relaxed);
                *used += BLOCK;
            }
        }
        self.steps[index.wrapping_add(summand.load(Relaxed)) as usize].store(steps, Relaxed);
    }

    /// Returns the share of the lookups of a position whose weights are zero.
    pub fn share_of_zeros(&self, position: Afterstate) -> f32 {
        let mut indices = vec![WeightIndex::default(); self.lookup.per_position()];
        self.lookup.indices(position, &mut indices);
        let zeros = indices.iter().filter(|index| {
            let summand = self.blocks[(index.number() >> BLOCK_BITS) as usize].load(Relaxed);
            self.steps[index.number().wrapping_add(summand) as usize].load(Relaxed) == 0
        });
        zeros.count() as f32 / indices.len() as f32
    }

    /// Writes the values of afterstates, which equal those with [`Weight`](crate::Weight)s.
    pub fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]) {
        let (steps, step) = (Entries::new(&self.steps), self.step);
        let blocks = self.blocks.as_array::<BLOCKS>().expect("a number for each block");
        let fetch = |indices: &mut [WeightIndex]| {
            for index in indices {
                let summand = blocks[(index.number() >> BLOCK_BITS) as usize].load(Relaxed);
                // From here on, the index of an entry of `steps`.
                *index = WeightIndex::new(index.number().wrapping_add(summand));
                steps.prefetch(*index);
            }
        };
        let value = |indices: &[WeightIndex]| sum_of_steps(steps, step, indices);
        evaluate(&self.lookup, afterstates, values, fetch, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weight::{Record, sum};
    use crate::{Network, Stages};
    use proptest::prelude::*;
    use runner_core::Game;

    proptest! {
        #[test]
        fn values_equal_those_of_the_same_network_with_whole_weights(
            network in prop::sample::select(vec!["4x6", "0123 4567", "012456 empty", "0123 12 3!"]),
            stages in prop::sample::select(vec![None, Some("64")]),
            weights in prop::collection::vec((any::<u32>(), any::<i16>()), 1..200),
            boards in prop::collection::vec(any::<u64>(), 1..20),
        ) {
            let game = game_2048::Game2048::new(Default::default()).unwrap();
            let board = game.description().geometry.as_ref().unwrap();
            let stages = stages.map(|text| Stages::read(text, board).unwrap());
            let network = Network::read(network, board).unwrap().with_stages(stages);
            let lookup = Lookup::new(&network, board).unwrap();
            let whole = Region::<Record<()>>::new(lookup.weights()).unwrap();
            let steps = StepNetwork::new(lookup.clone(), 0.3).unwrap();
            let mut boards: Vec<_> = boards.into_iter().map(|lo| Afterstate::new(lo, 0)).collect();
            let mut indices = vec![WeightIndex::default(); lookup.per_position()];
            // Weights anywhere, and those of the boards.
            let entry = |&(place, _): &(u32, i16)| lookup.index_of(place as usize % lookup.weights());
            let mut entries: Vec<_> = weights.iter().map(entry).collect();
            for &board in &boards {
                lookup.indices(board, &mut indices);
                entries.extend(indices.iter().step_by(3).map(|index| index.index()));
            }
            for (&entry, (_, number)) in entries.iter().zip(weights.iter().cycle()) {
                steps.set_at(entry as u32, *number);
                whole[entry].weight.set(0.3 * f32::from(*number));
            }
            boards.push(Afterstate::new(0, 0));
            let mut values = vec![0.0; boards.len()];
            steps.evaluate(&boards, &mut values);
            for (board, value) in boards.into_iter().zip(values) {
                lookup.indices(board, &mut indices);
                prop_assert_eq!(sum(Entries::new(&whole), &indices), value);
            }
        }
    }
}
