//! Temporal coherence with both sums as floats: what the compact memory of
//! [`Tc`](super::Tc) is held against. It takes half as much memory again.

use super::{Accumulate, Memory, Rule, Table, Weight};
use crate::memory::Zeroed;
use crate::network::Place;
use crate::schedule::Schedule;

/// The sum of a weight's errors and that of their absolute values.
#[derive(Debug, Default)]
#[repr(C)]
pub struct TcWideMemory {
    sum: Weight,
    size: Weight,
}

// SAFETY: it is two atomics, and all bits zero are two zeros.
unsafe impl Zeroed for TcWideMemory {}

impl Memory for TcWideMemory {
    const WORDS: usize = 2;

    fn word(&self, number: usize) -> u32 {
        [&self.sum, &self.size][number].get().to_bits()
    }

    fn set_word(&self, number: usize, value: u32) {
        [&self.sum, &self.size][number].set(f32::from_bits(value));
    }

    fn sums(&self) -> Option<(f32, f32)> {
        Some((self.sum.get(), self.size.get()))
    }

    fn set_sums(&self, sum: f32, size: f32) {
        let size = size.min(f32::MAX);
        self.sum.set(sum.clamp(-size, size));
        self.size.set(size);
    }
}

/// Temporal coherence.
#[derive(Clone, Copy, Debug)]
pub struct TcWide {
    beta: Schedule,
    accumulate: Accumulate,
    step: f32,
    share: f32,
}

impl TcWide {
    /// With this meta step size, shared by `lookups` weights.
    pub fn new(beta: Schedule, accumulate: Accumulate, lookups: usize) -> Self {
        Self { beta, accumulate, step: beta.at(0.0), share: 1.0 / lookups as f32 }
    }
}

impl Rule for TcWide {
    type Memory = TcWideMemory;
    const MEMORY: &'static str = "sums 32";

    fn is_planned(self) -> bool {
        !self.beta.is_constant()
    }

    fn at(self, done: f64) -> Self {
        Self { step: self.beta.at(done), ..self }
    }

    #[inline(always)]
    fn update(&self, table: Table<'_, TcWideMemory>, places: &[Place], error: f32, factor: f32) {
        let change = self.step * self.share * error * factor;
        let error = self.accumulate.of(error, factor);
        for &place in places {
            let (weight, memory) = (table.weights.at(place), table.memory.at(place));
            let (sum, size) = (memory.sum.get(), memory.size.get());
            let rate = if size == 0.0 { 1.0 } else { sum.abs() / size };
            weight.set(weight.get() + change * rate);
            memory.sum.set(sum + error);
            memory.size.set(size + error.abs());
        }
    }
}
