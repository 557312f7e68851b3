//! The interface of learning rules: how a weight changes by an error. The rules are in
//! [`learners`](crate::learners).

use agent_ntuple_network::memory::Entries;
use agent_ntuple_network::{Memory, Record, WeightIndex};

pub trait Rule: Copy + Send + Sync + 'static {
    type Memory: Memory;

    /// Returns true if the rule depends on the share of the training that is done. The training
    /// then needs a plan.
    fn is_planned(self) -> bool {
        false
    }

    fn at(self, done: f64) -> Self {
        let _ = done;
        self
    }

    /// Updates the weights whose sum was wrong by `error`, by `factor` (0 to 1) of a full
    /// update.
    fn update(
        &self,
        records: Entries<'_, Record<Self::Memory>>,
        indices: &[WeightIndex],
        error: f32,
        factor: f32,
    );
}
