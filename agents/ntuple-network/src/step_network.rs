//! A network that only evaluates, in a quarter to a ninth of the memory: each weight is a number of steps, and
//! only the blocks of weights are stored in which one is not zero.

use crate::index::{Place, WeightIndex};
use crate::lookup::{Lookup, MAX_LOOKUPS};
use crate::memory::{Entries, Region};
use crate::weight::{Steps, sum_of_steps};
use runner_core::Afterstate;
use std::io;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Number of low bits of a place, which are its position within its block. Smaller blocks store fewer zeros, and
/// a longer list of blocks: in the network of 2048, 2^9 weights take the least memory.
const BLOCK_BITS: u32 = 9;

const BLOCK: u32 = 1 << BLOCK_BITS;

/// Number of blocks of the largest network.
const BLOCKS: usize = 1 << (32 - BLOCK_BITS);

/// A network whose weights are multiples of a step.
pub struct StepNetwork {
    lookup: Lookup,
    /// For each block of places, the number that is added to a place to get its entry among the steps.
    /// The sum is modulo 2^32: a block that is not stored has minus its first place, which leads to the
    /// entries below `BLOCK`, which are zero.
    blocks: Region<AtomicU32>,
    steps: Region<Steps>,
    /// Number of entries in use.
    used: AtomicU32,
    /// Value of one step.
    step: f32,
}

impl StepNetwork {
    /// Creates a network whose weights are all zero.
    pub fn new(lookup: Lookup, step: f32) -> io::Result<Self> {
        let blocks = Region::<AtomicU32>::new(BLOCKS)?;
        for first in (0..lookup.weights()).step_by(BLOCK as usize) {
            blocks[first >> BLOCK_BITS].store((first as u32).wrapping_neg(), Relaxed);
        }
        // The system provides the memory of entries when they are used.
        let entries = lookup.weights().next_multiple_of(BLOCK as usize) + BLOCK as usize;
        assert!(u32::try_from(entries).is_ok(), "entries have 32-bit numbers");
        let steps = Region::new(entries)?;
        Ok(Self { lookup, blocks, steps, used: AtomicU32::new(BLOCK), step })
    }

    pub fn lookup(&self) -> &Lookup {
        &self.lookup
    }

    /// Sets the number of steps of the weight at a place of model files. All weights of a block must be set
    /// by the same thread.
    pub fn set(&self, place: usize, steps: i16) {
        let (block, place) = (&self.blocks[place >> BLOCK_BITS], place as u32);
        let first = place & !(BLOCK - 1);
        let is_stored = block.load(Relaxed) != first.wrapping_neg();
        if !is_stored && steps != 0 {
            let entry = self.used.fetch_add(BLOCK, Relaxed);
            block.store(entry.wrapping_sub(first), Relaxed);
        }
        self.steps[place.wrapping_add(block.load(Relaxed)) as usize].set(steps);
    }

    /// Writes the values of afterstates. The same network with [`Weight`](crate::Weight)s has equal values.
    pub fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]) {
        let (steps, step) = (Entries::new(&self.steps), self.step);
        let blocks = self.blocks.as_array::<BLOCKS>().expect("a number for each block");
        let entry = |Place { number, .. }: Place| {
            let block = blocks[(number >> BLOCK_BITS) as usize].load(Relaxed);
            let entry = WeightIndex::new(number.wrapping_add(block));
            steps.prefetch(entry);
            entry
        };
        let n = self.lookup.per_position();
        let mut indices = [WeightIndex::default(); MAX_LOOKUPS];
        let part = MAX_LOOKUPS / n;
        for (afterstates, values) in afterstates.chunks(part).zip(values.chunks_mut(part)) {
            self.lookup.indices_of_all(afterstates.iter().copied(), &mut indices, entry);
            for (value, indices) in values.iter_mut().zip(indices.chunks_exact(n)) {
                *value = sum_of_steps(steps, step, indices);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weight::{Weight, sum};
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
            let whole = Region::<Weight>::new(lookup.weights()).unwrap();
            let steps = StepNetwork::new(lookup.clone(), 0.3).unwrap();
            let mut boards: Vec<_> = boards.into_iter().map(|lo| Afterstate::new(lo, 0)).collect();
            let mut indices = vec![WeightIndex::default(); lookup.per_position()];
            // Weights anywhere, and those of the boards.
            let mut places: Vec<_> = weights.iter().map(|(place, _)| *place as usize).collect();
            for &board in &boards {
                lookup.indices(board, &mut indices);
                // The permutation of a table is its own inverse.
                places.extend(indices.iter().step_by(3).map(|index| lookup.entry(index.index())));
            }
            for (place, (_, number)) in places.iter().zip(weights.iter().cycle()) {
                let place = place % lookup.weights();
                steps.set(place, *number);
                whole[lookup.entry(place)].set(0.3 * f32::from(*number));
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
