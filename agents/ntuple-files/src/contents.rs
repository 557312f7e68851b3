//! The contents of a model file, borrowed from the learner.

use agent_ntuple_network::{Initial, Memory, Places, Shape, Weight};

/// The contents of a model file, borrowed from the learner: a network with its weights, and the
/// learning state of its rule. Weights and state are atomics, so loading needs no more than this either.
pub struct Contents<'a, M: Memory> {
    pub shape: Shape<'a>,
    /// Resolved spec of the learner.
    pub spec: &'a str,
    pub weights: Places<'a, Weight>,
    /// The learning state of each weight, unless the network only plays.
    pub memory: Option<Places<'a, M>>,
    pub initial: Initial,
}
