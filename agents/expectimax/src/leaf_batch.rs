//! Batched evaluation of leaves.
//!
//! The leaves below one chance node are evaluated in one call. Equal leaves in a batch are
//! evaluated once. Leaves of different chance nodes are often equal too, because tiles can enter
//! in another order. A search with a transposition table therefore caches the values of leaves.

mod tables;

use runner_core::{Afterstate, Successor, Successors, Value};

/// The leaves below one chance node.
#[derive(Debug, Default)]
pub struct LeafBatch {
    positions: Vec<Afterstate>,
    values: Vec<f32>,
    exact_values: Vec<f32>,
    /// The actions of the first outcome, then those of the second, and so on.
    edges: Vec<Edge>,
    outcomes: Vec<BatchOutcome>,
    index: PositionIndex,
    cache: ValueCache,
    /// The last pushes for each tile that enters, see [`tables`].
    last_pushes: Vec<tables::LastPushes>,
}

/// An action after an outcome.
#[derive(Clone, Copy, Debug)]
struct Edge {
    /// The number of the leaf that the action leads to.
    leaf: u32,
    /// The reward, weighted for the value's scale; minus infinity if the action is not legal.
    reward: f32,
}

/// A chance outcome whose actions lead to leaves.
#[derive(Clone, Copy, Debug)]
struct BatchOutcome {
    probability: f64,
    /// The end of its edges, which begin at the end of those of the outcome before.
    edges_end: u32,
}

impl LeafBatch {
    pub fn clear(&mut self) {
        self.positions.clear();
        self.edges.clear();
        self.outcomes.clear();
        self.index.clear();
    }

    pub fn leaf_count(&self) -> usize {
        self.positions.len()
    }

    pub fn has_outcomes(&self) -> bool {
        !self.outcomes.is_empty()
    }

    /// Adds an outcome with its successors; there is at least one. The value's scale gives the
    /// weight of rewards.
    #[inline(always)]
    pub fn add(&mut self, probability: f64, successors: &Successors, reward_weight: f32) {
        for successor in successors.iter() {
            let leaf = self.index.insert(successor.afterstate, &mut self.positions);
            self.edges.push(Edge { leaf, reward: reward_weight * successor.reward });
        }
        self.outcomes.push(BatchOutcome { probability, edges_end: self.edges.len() as u32 });
    }

    /// Evaluates all leaves. Values of `exact` replace those of `value`. If `uses_cache` is true,
    /// the values of leaves of earlier batches are used again.
    #[inline(always)]
    pub fn evaluate<V: Value>(&mut self, value: &V, exact: Option<&dyn Value>, uses_cache: bool) {
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
        if uses_cache {
            self.cache.evaluate(&self.positions, &mut self.values, estimate)
        } else {
            estimate(&self.positions, &mut self.values)
        }
    }

    /// Evaluates the afterstates of the successors and returns their values in the same order. They
    /// replace the leaves of the batch, which must be cleared before outcomes are added again.
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
        for &BatchOutcome { probability, edges_end } in &self.outcomes {
            let end = edges_end as usize;
            let edges = &self.edges[start..end];
            let value = |edge: &Edge| edge.reward + self.values[edge.leaf as usize];
            let best = edges.iter().map(value).fold(f32::NEG_INFINITY, f32::max);
            let outcome_value = if best == f32::NEG_INFINITY { terminal } else { best };
            sum += probability * f64::from(outcome_value);
            start = end;
        }
        sum
    }
}

/// Number of slots of a [`PositionIndex`]: the upper 8 bits of a hash choose one.
const INDEX_SLOTS: usize = 1 << 8;

#[inline(always)]
fn hash(position: Afterstate) -> u64 {
    (position.lo ^ position.hi).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Finds equal positions in the list of a batch. Tiles that enter in one line are pushed to the
/// same cell, so leaves are often equal, and to look a leaf up costs less than to evaluate it
/// again. The index is direct-mapped: a position replaces the one in its slot, and if that one
/// comes again, it is listed twice.
#[derive(Debug)]
struct PositionIndex {
    slots: Box<[IndexSlot; INDEX_SLOTS]>,
    /// The generation of the current list. Slots of other generations are empty.
    generation: u32,
}

#[derive(Clone, Copy, Debug)]
struct IndexSlot {
    generation: u32,
    /// The place of a position in the list.
    place: u32,
}

impl Default for PositionIndex {
    fn default() -> Self {
        let empty = IndexSlot { generation: 0, place: 0 };
        Self { slots: Box::new([empty; INDEX_SLOTS]), generation: 1 }
    }
}

impl PositionIndex {
    fn clear(&mut self) {
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 {
            *self = Self::default();
        }
    }

    /// Returns the place of a position in the list. Appends the position if the index does not
    /// have it.
    #[inline(always)]
    fn insert(&mut self, position: Afterstate, list: &mut Vec<Afterstate>) -> u32 {
        let slot = &mut self.slots[(hash(position) >> 56) as usize];
        if slot.generation == self.generation && list[slot.place as usize] == position {
            return slot.place;
        }
        *slot = IndexSlot { generation: self.generation, place: list.len() as u32 };
        list.push(position);
        slot.place
    }
}

/// A cache has 2^13 slots. They fit the second-level cache beside the weights of a network.
const CACHE_BITS: u32 = 13;

/// A direct-mapped cache of the values of positions. It is never cleared: as with the transposition
/// table, a value of a position does not change while its search lives.
#[derive(Debug, Default)]
struct ValueCache {
    /// A position and its value for each hash. The value of an empty slot is NaN. The slots are
    /// allocated at the first use.
    slots: Vec<(Afterstate, f32)>,
    /// The positions of a batch that are not cached.
    missing: Vec<Afterstate>,
    /// Their places in the batch.
    missing_places: Vec<u32>,
    /// Their values, once they are evaluated.
    missing_values: Vec<f32>,
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
        self.missing_places.clear();
        values.clear();
        for (&position, place) in positions.iter().zip(0..) {
            let (cached, value) = self.slots[cache_slot(position)];
            values.push(value);
            if cached != position || value.is_nan() {
                self.missing.push(position);
                self.missing_places.push(place);
            }
        }
        if self.missing.is_empty() {
            return;
        }
        estimate(&self.missing, &mut self.missing_values);
        let places_and_values = self.missing_places.iter().zip(&self.missing_values);
        for (&position, (&place, &value)) in self.missing.iter().zip(places_and_values) {
            values[place as usize] = value;
            self.slots[cache_slot(position)] = (position, value);
        }
    }
}

#[inline(always)]
fn cache_slot(position: Afterstate) -> usize {
    (hash(position) >> (64 - CACHE_BITS)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use runner_core::{Action, Random};
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    /// The value of a position is its number. Counts the evaluations.
    struct CountingValue(AtomicUsize);

    impl Value for CountingValue {
        fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]) {
            self.0.fetch_add(afterstates.len(), Relaxed);
            for (value, afterstate) in values.iter_mut().zip(afterstates) {
                *value = afterstate.lo as f32;
            }
        }
    }

    #[test]
    fn cached_values_equal_evaluated_ones() {
        let (value, mut random) = (CountingValue(AtomicUsize::new(0)), Random::from_word(1));
        let (mut plain, mut cached) = (LeafBatch::default(), LeafBatch::default());
        let mut leaves = 0;
        for _ in 0..20_000 {
            let mut successors = Successors::new();
            for action in 0..3 {
                // More positions than the cache has slots.
                let position = Afterstate::new(random.below(20_000).into(), 0);
                successors.push(Action(action), position, 1.0);
            }
            let expectation = |batch: &mut LeafBatch, uses_cache| {
                batch.clear();
                batch.add(0.5, &successors, 1.0);
                batch.evaluate(&value, None, uses_cache);
                batch.expectation(0.0)
            };
            let before = value.0.load(Relaxed);
            let expected = expectation(&mut plain, false);
            leaves += value.0.load(Relaxed) - before;
            assert_eq!(expectation(&mut cached, true), expected);
        }
        let evaluated = value.0.load(Relaxed) - leaves;
        assert!(evaluated < leaves * 9 / 10, "{evaluated} of {leaves}");
    }
}
