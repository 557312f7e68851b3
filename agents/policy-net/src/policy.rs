//! The outputs of the network as probabilities of actions.

use crate::weighting::softmax;
use agent_neural::{Buffers, PositionNetwork};
use runner_core::{State, Successors};

/// Writes the probabilities of all actions of each position, legal or not.
pub fn probabilities(
    network: &PositionNetwork,
    parameters: &[f32],
    states: impl Iterator<Item = State>,
    buffers: &mut Buffers,
    out: &mut [f32],
) {
    let outputs = network.outputs(parameters, states, buffers);
    for (row, outputs) in out.chunks_exact_mut(network.network.outputs()).zip(outputs) {
        row.copy_from_slice(outputs);
        softmax(row);
    }
}

/// Replaces the probabilities of all actions by those of the legal ones, which sum to 1; the
/// others become 0. If all legal ones are 0 they become equal.
pub fn restrict(probabilities: &mut [f32], successors: &Successors) {
    let legal = |action: usize| successors.iter().any(|s| s.action.index() == action);
    let mut sum = 0.0;
    for (action, p) in probabilities.iter_mut().enumerate() {
        *p = if legal(action) { *p } else { 0.0 };
        sum += *p;
    }
    for successor in successors.iter() {
        let p = &mut probabilities[successor.action.index()];
        *p = if sum > 0.0 { *p / sum } else { 1.0 / successors.len() as f32 };
    }
}
