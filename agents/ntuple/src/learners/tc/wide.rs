//! Temporal coherence with E and A as two 32-bit floats: the reference for the packed memory,
//! with half as much memory again per weight.

use super::accumulate::Accumulate;
use crate::rule::Rule;
use crate::schedule::Schedule;
use agent_ntuple_network::{Memory, Tables, Weight, WeightIndex};
use bytemuck::Zeroable;

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
