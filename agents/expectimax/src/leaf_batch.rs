//! Batched evaluation of leaves.

use runner_core::{Afterstate, Successor, Successors, Value};

/// The leaves below one chance node, which are evaluated in one call.
#[derive(Debug, Default)]
pub struct LeafBatch {
    positions: Vec<Afterstate>,
    values: Vec<f32>,
    exact_values: Vec<f32>,
    /// For each action of each outcome, the index of the leaf that it leads to, and its
    /// reward.
    edges: Vec<(u32, f32)>,
    /// For each outcome, its probability and the end of its edges.
    outcomes: Vec<(f64, u32)>,
    index: PositionIndex,
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
    /// one.
    #[inline(always)]
    pub fn add(&mut self, probability: f64, successors: &Successors) {
        for successor in successors.iter() {
            let number = self.index.insert(successor.afterstate, &mut self.positions);
            self.edges.push((number, successor.reward));
        }
        self.outcomes.push((probability, self.edges.len() as u32));
    }

    /// Evaluates all leaves; exact values replace estimates.
    #[inline(always)]
    pub fn evaluate<V: Value>(&mut self, value: &V, exact: Option<&dyn Value>) {
        self.values.resize(self.positions.len(), 0.0);
        value.evaluate(&self.positions, &mut self.values);
        if let Some(exact) = exact {
            self.exact_values.resize(self.positions.len(), 0.0);
            exact.exact_values(&self.positions, &mut self.exact_values);
            for (value, &exact) in self.values.iter_mut().zip(&self.exact_values) {
                *value = if exact.is_nan() { *value } else { exact };
            }
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
        self.evaluate(value, exact);
        &self.values
    }

    /// Returns the sum over the outcomes of their probability times the value of their best
    /// action. The leaves must have been evaluated.
    #[inline(always)]
    pub fn expectation(&self, reward_weight: f32) -> f64 {
        let (mut sum, mut start) = (0.0, 0);
        for &(probability, end) in &self.outcomes {
            let edges = &self.edges[start..end as usize];
            let value =
                |&(leaf, reward): &(u32, f32)| reward_weight * reward + self.values[leaf as usize];
            let best = edges.iter().map(value).fold(f32::NEG_INFINITY, f32::max);
            sum += probability * f64::from(best);
            start = end as usize;
        }
        sum
    }
}

const SLOTS: usize = 256;

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
        let mixed = (position.lo ^ position.hi).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let slot = &mut self.slots[(mixed >> 56) as usize];
        if slot.0 == self.generation && list[slot.1 as usize] == position {
            return slot.1;
        }
        *slot = (self.generation, list.len() as u32);
        list.push(position);
        slot.1
    }
}
