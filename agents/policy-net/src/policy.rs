//! The network as a policy: probabilities of actions.

use crate::config::{Encoding, Shape};
use crate::weighting::softmax;
use agent_neural::{Activations, Encoder, Input, Network};
use runner_core::board::Geometry;
use runner_core::{State, Successors};

/// A network with the encoding of its inputs.
#[derive(Clone, Debug)]
pub struct Policy {
    /// The layers.
    pub network: Network,
    /// The network as text.
    pub text: String,
    encoding: Encoding,
    encoder: Encoder,
    /// The input for each rank.
    inputs: Vec<f32>,
}

/// Buffers for encoded positions and their probabilities.
#[derive(Clone, Debug, Default)]
pub struct Buffers {
    /// Results of the layers.
    pub activations: Activations,
    /// Inputs as rows of a table.
    pub rows: Vec<u16>,
    /// Inputs as numbers.
    pub numbers: Vec<f32>,
}

impl Policy {
    /// Creates the policy network of a board.
    pub fn new(shape: Shape, board: &Geometry, actions: usize) -> Self {
        let (network, encoder) = shape.network(board, actions);
        let input = |(rank, &value): (usize, &u64)| match shape.encoding {
            Encoding::Values => value as f32,
            Encoding::Ranks | Encoding::OneHot => rank as f32,
        };
        Self {
            network,
            text: shape.text(board, actions),
            encoding: shape.encoding,
            encoder,
            inputs: board.values.iter().enumerate().map(input).collect(),
        }
    }

    /// Returns the board.
    pub fn board(&self) -> &Geometry {
        self.encoder.geometry()
    }

    /// Returns the number of actions.
    pub fn actions(&self) -> usize {
        self.network.outputs()
    }

    /// Encodes positions as inputs of the network.
    pub fn encode<'b>(
        &self,
        states: impl Iterator<Item = State>,
        rows: &'b mut Vec<u16>,
        numbers: &'b mut Vec<f32>,
    ) -> Input<'b> {
        rows.clear();
        numbers.clear();
        for state in states {
            match self.encoding {
                Encoding::OneHot => self.encoder.encode(state.bits(), rows),
                Encoding::Values | Encoding::Ranks => {
                    let board = self.board();
                    let rank = |cell| usize::from(board.rank(state.bits(), cell));
                    let input = |cell| self.inputs[rank(cell).min(self.inputs.len() - 1)];
                    numbers.extend((0..board.cells()).map(input));
                }
            }
        }
        match self.encoding {
            Encoding::OneHot => Input::Rows(rows),
            Encoding::Values | Encoding::Ranks => Input::Numbers(numbers),
        }
    }

    /// Writes the probabilities of all actions of each position, legal or not.
    pub fn probabilities(
        &self,
        parameters: &[f32],
        states: impl Iterator<Item = State>,
        buffers: &mut Buffers,
        out: &mut Vec<f32>,
    ) {
        let Buffers { activations, rows, numbers } = buffers;
        let input = self.encode(states, rows, numbers);
        out.clear();
        out.extend_from_slice(self.network.forward(parameters, input, activations));
        out.chunks_exact_mut(self.actions()).for_each(softmax);
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
