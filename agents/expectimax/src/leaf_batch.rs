//! Batched evaluation of leaves.
//!
//! Leaves of different chance nodes repeat too, because tiles can enter in another order. A search
//! with a transposition table therefore keeps the values of leaves as well.

mod tables;

use runner_core::{Afterstate, Successor, Successors, Value};

/// The leaves below one chance node, which are evaluated in one call.
#[derive(Debug, Default)]
pub struct LeafBatch {
    positions: Vec<Afterstate>,
    values: Vec<f32>,
    exact_values: Vec<f32>,
    /// For each action of each outcome, the index of the leaf that it leads to, and its
    /// weighted reward: minus infinity if the action is not legal.
    edges: Vec<(u32, f32)>,
    /// For each outcome, its probability and the end of its edges.
    outcomes: Vec<(f64, u32)>,
    index: PositionIndex,
    cache: ValueCache,
    /// For each tile that enters, the last pushes of each line, by axis and direction.
    before: Vec<[[[tables::Pushed; 2]; 4]; 2]>,
}

impl LeafBatch {
    pub fn clear(&mut self) {
        self.positions.clear();
        self.edges.clear();
        self.outcomes.clear();
        self.index.clear();
    }

    pub fn len(&self) -> usize {
        self.positions.len()
    }

    pub fn is_empty(&self) -> bool {
        self.outcomes.is_empty()
    }

    /// Adds the successors of an outcome with this probability, of which there is at least
    /// one. The value's scale gives the weight of rewards.
    #[inline(always)]
    pub fn add(&mut self, probability: f64, successors: &Successors, reward_weight: f32) {
        for successor in successors.iter() {
            let number = self.index.insert(successor.afterstate, &mut self.positions);
            self.edges.push((number, reward_weight * successor.reward));
        }
        self.outcomes.push((probability, self.edges.len() as u32));
    }

    /// Evaluates all leaves; exact values replace estimates. If `cached` is true, values of
    /// earlier leaves are used again.
    #[inline(always)]
    pub fn evaluate<V: Value>(&mut self, value: &V, exact: Option<&dyn Value>, cached: bool) {
        let mut estimate = |positions: &[Afterstate], values: &mut Vec<f32>| {
            values.resize(positions.len(), 0.0);
            value.evaluate(positions, values);
            if let Some(exact) = exact {
                self.exact_values.resize(positions.len(), 0.0);
                exact.exact_values(positions, &mut self.exact_values);
                for (value, &exact) in values.iter_mut().zip(&self.exact_values) {
                    *value = if exact.is_nan() { *value } else { exact };
                }
            }
        };
        if cached {
            self.cache.evaluate(&self.positions, &mut self.values, estimate)
        } else {
            estimate(&self.positions, &mut self.values)
        }
    }

    /// Evaluates the afterstates of some successors and returns their values, in their
    /// order.
    #[inline(always)]
    pub fn evaluate_successors<V: Value>(
        &mut self,
        successors: &[Successor],
        value: &V,
        exact: Option<&dyn Value>,
    ) -> &[f32] {
        self.positions.clear();
        self.positions.extend(successors.iter().map(|successor| successor.afterstate));
        self.evaluate(value, exact, false);
        &self.values
    }

    /// Returns the sum over the outcomes of their probability times the value of their best
    /// action, or `terminal` if none is legal. The leaves must have been evaluated.
    #[inline(always)]
    pub fn expectation(&self, terminal: f32) -> f64 {
        let (mut sum, mut start) = (0.0, 0);
        for &(probability, end) in &self.outcomes {
            let edges = &self.edges[start..end as usize];
            let value = |&(leaf, reward): &(u32, f32)| reward + self.values[leaf as usize];
            let best = edges.iter().map(value).fold(f32::NEG_INFINITY, f32::max);
            let best = if best == f32::NEG_INFINITY { terminal } else { best };
            sum += probability * f64::from(best);
            start = end as usize;
        }
        sum
    }
}

const SLOTS: usize = 256;

#[inline(always)]
fn hash(position: Afterstate) -> u64 {
    (position.lo ^ position.hi).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// A direct-mapped index of the positions in a list. Tiles that enter in one line are
/// pushed to the same cell, so leaves repeat; looking a leaf up costs less than evaluating
/// it again.
#[derive(Debug)]
struct PositionIndex {
    /// By hash: the generation of the list, and the position's place in it.
    slots: Box<[(u32, u32); SLOTS]>,
    /// Entries of earlier generations are invalid.
    generation: u32,
}

impl Default for PositionIndex {
    fn default() -> Self {
        Self { slots: Box::new([(0, 0); SLOTS]), generation: 1 }
    }
}

impl PositionIndex {
    fn clear(&mut self) {
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 {
            *self = Self::default();
        }
    }

    /// Returns the place of a position in the list, and appends it if it is not indexed.
    #[inline(always)]
    fn insert(&mut self, position: Afterstate, list: &mut Vec<Afterstate>) -> u32 {
        let slot = &mut self.slots[(hash(position) >> 56) as usize];
        if slot.0 == self.generation && list[slot.1 as usize] == position {
            return slot.1;
        }
        *slot = (self.generation, list.len() as u32);
        list.push(position);
        slot.1
    }
}

/// The number of cached values, as a power of two. They fit the second-level cache beside the
/// weights of a network.
const CACHE_BITS: u32 = 13;

/// A direct-mapped cache of the values of positions. As with the transposition table, the value of a
/// position does not change while its search lives.
#[derive(Debug, Default)]
struct ValueCache {
    /// By hash; the value of an empty slot is not a number. Without slots until the first use.
    slots: Vec<(Afterstate, f32)>,
    /// The positions that are not cached, and their places in the list.
    missing: Vec<Afterstate>,
    places: Vec<u32>,
    found: Vec<f32>,
}

impl ValueCache {
    /// Writes the values of all positions to `values`. Calls `estimate` with those that are not
    /// cached.
    #[inline(always)]
    fn evaluate(
        &mut self,
        positions: &[Afterstate],
        values: &mut Vec<f32>,
        estimate: impl FnOnce(&[Afterstate], &mut Vec<f32>),
    ) {
        self.slots.resize(1 << CACHE_BITS, (Afterstate::default(), f32::NAN));
        self.missing.clear();
        self.places.clear();
        values.clear();
        for (&position, place) in positions.iter().zip(0..) {
            let (cached, value) = self.slots[slot(position)];
            values.push(value);
            if cached != position || value.is_nan() {
                self.missing.push(position);
                self.places.push(place);
            }
        }
        if self.missing.is_empty() {
            return;
        }
        estimate(&self.missing, &mut self.found);
        for ((&position, &place), &value) in self.missing.iter().zip(&self.places).zip(&self.found)
        {
            values[place as usize] = value;
            self.slots[slot(position)] = (position, value);
        }
    }
}

#[inline(always)]
fn slot(position: Afterstate) -> usize {
    (hash(position) >> (64 - CACHE_BITS)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use runner_core::{Action, Random};
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    /// The value is the position, and evaluations are counted.
    struct Counted(AtomicUsize);

    impl Value for Counted {
        fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]) {
            self.0.fetch_add(afterstates.len(), Relaxed);
            for (value, afterstate) in values.iter_mut().zip(afterstates) {
                *value = afterstate.lo as f32;
            }
        }
    }

    #[test]
    fn cached_values_equal_evaluated_ones() {
        let (value, mut random) = (Counted(AtomicUsize::new(0)), Random::from_word(1));
        let [mut plain, mut cached] = [(); 2].map(|()| LeafBatch::default());
        let mut leaves = 0;
        for _ in 0..20_000 {
            let mut successors = Successors::new();
            for action in 0..3 {
                // More positions than the cache has slots.
                let position = Afterstate::new(random.below(20_000).into(), 0);
                successors.push(Action(action), position, 1.0);
            }
            let of = |batch: &mut LeafBatch, is_cached| {
                batch.clear();
                batch.add(0.5, &successors, 1.0);
                batch.evaluate(&value, None, is_cached);
                batch.expectation(0.0)
            };
            let before = value.0.load(Relaxed);
            let expected = of(&mut plain, false);
            leaves += value.0.load(Relaxed) - before;
            assert_eq!(of(&mut cached, true), expected);
        }
        let evaluated = value.0.load(Relaxed) - leaves;
        assert!(evaluated < leaves * 9 / 10, "{evaluated} of {leaves}");
    }
}
