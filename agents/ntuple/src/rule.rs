//! The interface of learning rules: how an error changes the weights of a position. The rules are
//! in [`learners`](crate::learners).

use agent_ntuple_network::memory::Entries;
use agent_ntuple_network::{Memory, Record, WeightIndex};

/// A learning rule with its current step size.
pub trait Rule: Copy + Send + Sync + 'static {
    /// The data that the rule stores for each weight.
    type Memory: Memory;

    /// Returns true if the rule depends on the share of the training that is done. A training by
    /// such a rule needs a plan: a number of moves, of episodes, or a time.
    fn is_planned(self) -> bool {
        false
    }

    /// Returns the rule as it is when the share `done` of the training is done, 0 to 1.
    fn at(self, done: f64) -> Self {
        let _ = done;
        self
    }

    /// Updates the weights of a position, whose target is above their sum by `error`. The change
    /// of a weight is `factor` (0 to 1) of a full update.
    fn update(
        &self,
        records: Entries<'_, Record<Self::Memory>>,
        indices: &[WeightIndex],
        error: f32,
        factor: f32,
    );
}
