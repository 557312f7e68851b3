//! The indices of the steps of a finished game, for schemes that update after it.

use super::context::TrainingContext;
use super::trajectory::Step;
use crate::rule::Rule;
use agent_ntuple_network::WeightIndex;

/// A window of `N` steps of a path, whose weights and memory are being prefetched.
pub struct PathWindow<'a, R: Rule, const N: usize> {
    context: &'a TrainingContext<'a, R>,
    path: &'a [Step],
    indices: Vec<WeightIndex>,
}

impl<'a, R: Rule, const N: usize> PathWindow<'a, R, N> {
    pub fn new(context: &'a TrainingContext<'a, R>, path: &'a [Step]) -> Self {
        let indices = vec![WeightIndex::default(); context.lookup.per_position() * N];
        Self { context, path, indices }
    }

    /// Looks up a step, if there is one of this number, in place of the one N before or after it.
    pub fn find(&mut self, number: usize) {
        if let Some(step) = self.path.get(number) {
            let n = self.context.lookup.per_position();
            let indices = &mut self.indices[number % N * n..][..n];
            self.context.find(step, indices);
            self.context.prefetch_memory(indices);
        }
    }

    pub fn indices(&self, number: usize) -> &[WeightIndex] {
        let n = self.context.lookup.per_position();
        &self.indices[number % N * n..][..n]
    }

    pub fn value(&self, number: usize) -> f32 {
        self.context.known_value(self.indices(number))
    }

    /// Updates a step towards a target.
    pub fn update(&self, number: usize, target: f32) {
        self.context.update(self.indices(number), target - self.value(number), 1.0);
    }
}
