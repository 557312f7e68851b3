//! The weights that a training reads and updates, with their rule and their lookup.

use super::trajectory::Step;
use crate::rule::Rule;
use agent_ntuple_network::memory::Entries;
use agent_ntuple_network::{Lookup, Promotion, Record, ValueFunction, WeightIndex, sum};

/// The weights of a network in training, and the objects to read and update them.
pub struct TrainingContext<'a, R: Rule> {
    /// The rule, for the share of the training that is done.
    pub rule: R,
    pub records: Entries<'a, Record<R::Memory>>,
    pub lookup: &'a Lookup,
    /// Gives untouched weights of later stages the values of earlier stages; `None` if every stage
    /// begins with the initial value.
    pub promotion: Option<Promotion>,
    pub learns: ValueFunction,
    /// True if weights are prefetched to the second-level cache, see
    /// [`runner_core::prefers_second_level`].
    pub to_second_level: bool,
}

impl<R: Rule> Clone for TrainingContext<'_, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R: Rule> Copy for TrainingContext<'_, R> {}

impl<R: Rule> TrainingContext<'_, R> {
    /// Returns the current value, from the indices of a position's weights. Promotes weights
    /// that are read for the first time.
    #[inline(always)]
    pub fn value(&self, indices: &[WeightIndex]) -> f32 {
        match self.promotion {
            None => sum(self.records, indices),
            Some(promotion) => promotion.promote_and_sum(self.records, indices),
        }
    }

    /// Returns the current value of a position whose weights were promoted by an earlier call of
    /// [`value`](Self::value).
    #[inline(always)]
    pub fn known_value(&self, indices: &[WeightIndex]) -> f32 {
        sum(self.records, indices)
    }

    /// See [`Rule::update`].
    #[inline(always)]
    pub fn update(&self, indices: &[WeightIndex], error: f32, factor: f32) {
        self.rule.update(self.records, indices, error, factor);
    }

    /// Writes the weight indices of a step to `indices`, and prefetches the weights.
    #[inline(always)]
    pub fn look_up(&self, step: &Step, indices: &mut [WeightIndex]) {
        self.lookup.indices_for(step.position, step.action, indices);
        self.prefetch(indices);
    }

    #[inline(always)]
    pub fn prefetch(&self, indices: &[WeightIndex]) {
        if self.to_second_level {
            indices.iter().for_each(|&index| self.records.prefetch_to_second_level(index));
        } else {
            indices.iter().for_each(|&index| self.records.prefetch(index));
        }
    }
}
