//! A network over the positions of a board: its layers, and how positions become its inputs.

use crate::encoder::Encoder;
use crate::network::{Activations, Input, Network};
use runner_core::State;
use runner_core::geometry::Geometry;
use std::slice::ChunksExact;

#[derive(Clone, Debug)]
pub struct PositionNetwork {
    pub network: Network,
    /// The network as text: a model file with another one is refused.
    pub text: String,
    pub encoder: Encoder,
    /// The input for each rank of a cell; empty if inputs are one-hot.
    pub numbers: Vec<f32>,
}

#[derive(Clone, Debug, Default)]
pub struct Buffers {
    rows: Vec<u16>,
    numbers: Vec<f32>,
    activations: Activations,
}

impl PositionNetwork {
    pub fn board(&self) -> &Geometry {
        self.encoder.geometry()
    }

    pub fn encode<'b>(
        &self,
        states: impl Iterator<Item = State>,
        rows: &'b mut Vec<u16>,
        numbers: &'b mut Vec<f32>,
    ) -> Input<'b> {
        rows.clear();
        numbers.clear();
        if self.numbers.is_empty() {
            states.for_each(|state| self.encoder.encode(state.bits(), rows));
            return Input::Rows(rows);
        }
        let board = self.board();
        let last = self.numbers.len() - 1;
        for state in states {
            let rank = |cell| usize::from(board.rank(state.bits(), cell)).min(last);
            numbers.extend((0..board.cells()).map(|cell| self.numbers[rank(cell)]));
        }
        Input::Numbers(numbers)
    }

    pub fn outputs<'b>(
        &self,
        parameters: &[f32],
        states: impl Iterator<Item = State>,
        buffers: &'b mut Buffers,
    ) -> ChunksExact<'b, f32> {
        let Buffers { rows, numbers, activations } = buffers;
        let input = self.encode(states, rows, numbers);
        self.network.forward(parameters, input, activations).chunks_exact(self.network.outputs())
    }
}
