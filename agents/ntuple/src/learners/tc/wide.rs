//! Temporal coherence with E and A as two 32-bit floats: the reference for the packed memory,
//! with half as much memory again per weight.

use super::rule::{Accumulate, Tc};
use crate::learner::NtupleNetwork;
use crate::plugin::BytesLearner;
use crate::rule::Rule;
use crate::schedule::Schedule;
use agent_ntuple_network::{Memory, Tables, Weight, WeightIndex};
use bytemuck::Zeroable;
use runner_core::{
    Afterstate, Fault, Game, Learner, ModelFormat, State, Successors, TrainingProgress,
    TrainingSession, Value,
};
use std::path::Path;

/// The sum of a weight's errors and the sum of their absolute values.
#[derive(Debug, Default, Zeroable)]
#[repr(C)]
pub struct TcWideMemory {
    sum: Weight,
    absolute_sum: Weight,
}

impl Memory for TcWideMemory {
    const NAME: &'static str = "sums 32";
    const WORDS: usize = 2;

    fn word(&self, number: usize) -> u32 {
        [&self.sum, &self.absolute_sum][number].get().to_bits()
    }

    fn set_word(&self, number: usize, value: u32) {
        [&self.sum, &self.absolute_sum][number].set(f32::from_bits(value));
    }

    fn sums(&self) -> Option<(f32, f32)> {
        Some((self.sum.get(), self.absolute_sum.get()))
    }

    fn set_sums(&self, sum: f32, absolute_sum: f32) {
        let absolute_sum = absolute_sum.min(f32::MAX);
        self.sum.set(sum.clamp(-absolute_sum, absolute_sum));
        self.absolute_sum.set(absolute_sum);
    }
}

/// Temporal coherence with [`TcWideMemory`]: the equation of [`Tc`](super::Tc).
#[derive(Clone, Copy, Debug)]
pub struct TcWide {
    beta: Schedule,
    accumulate: Accumulate,
    step: f32,
    share: f32,
}

impl TcWide {
    /// Creates the rule with a meta learning rate that the `lookups` weights of a position
    /// share.
    pub fn new(beta: Schedule, accumulate: Accumulate, lookups: usize) -> Self {
        Self { beta, accumulate, step: beta.at(0.0), share: 1.0 / lookups as f32 }
    }
}

impl Rule for TcWide {
    type Memory = TcWideMemory;

    fn is_planned(self) -> bool {
        !self.beta.is_constant()
    }

    fn at(self, done: f64) -> Self {
        Self { step: self.beta.at(done), ..self }
    }

    #[inline(always)]
    fn update(
        &self,
        tables: Tables<'_, TcWideMemory>,
        indices: &[WeightIndex],
        error: f32,
        factor: f32,
    ) {
        let change = self.step * self.share * error * factor;
        let error = self.accumulate.amount(error, factor);
        for &index in indices {
            let (weight, memory) = (tables.weights.at(index), tables.memory.at(index));
            let (sum, absolute_sum) = (memory.sum.get(), memory.absolute_sum.get());
            let rate = if absolute_sum == 0.0 { 1.0 } else { sum.abs() / absolute_sum };
            weight.touch(weight.get() + change * rate);
            memory.sum.set(sum + error);
            memory.absolute_sum.set(absolute_sum + error.abs());
        }
    }
}

/// A learner with one of the two memories.
pub enum PackedOrWide {
    Packed(NtupleNetwork<Tc>),
    Wide(NtupleNetwork<TcWide>),
}

macro_rules! either {
    ($self:ident, $network:ident => $call:expr) => {
        match $self {
            Self::Packed($network) => $call,
            Self::Wide($network) => $call,
        }
    };
}

impl Value for PackedOrWide {
    fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]) {
        either!(self, network => network.evaluate(afterstates, values));
    }

    fn estimates_actions(&self) -> bool {
        either!(self, network => network.estimates_actions())
    }

    fn action_values(
        &self,
        game: &dyn Game,
        state: State,
        successors: &Successors,
        values: &mut [f32],
    ) {
        either!(self, network => network.action_values(game, state, successors, values));
    }
}

impl Learner for PackedOrWide {
    fn train<G: Game>(
        &self,
        game: &G,
        session: &TrainingSession<'_>,
    ) -> Result<TrainingProgress, Fault> {
        either!(self, network => network.train(game, session))
    }

    fn progress(&self) -> TrainingProgress {
        either!(self, network => network.progress())
    }

    fn formats(&self) -> Vec<ModelFormat> {
        either!(self, network => network.formats())
    }

    fn save(&self, path: &Path, format: &str) -> Result<(), Fault> {
        either!(self, network => network.save(path, format))
    }

    fn load(&self, files: &[&Path]) -> Result<(), Fault> {
        either!(self, network => network.load(files))
    }
}

impl BytesLearner for PackedOrWide {
    fn load_bytes(&self, bytes: &[u8], name: &str) -> Result<(), Fault> {
        either!(self, network => network.load_bytes(bytes, name))
    }
}
