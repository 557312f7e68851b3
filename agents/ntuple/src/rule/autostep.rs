//! Autostep (Mahmood and others, 2012): each weight's step size grows while its
//! errors agree, normalised so that no update goes past its target.

use super::{Memory, Rule, Table, Weight};
use crate::memory::Zeroed;
use crate::network::Place;

/// The step size of a weight, and two traces.
#[derive(Debug, Default)]
#[repr(C, align(16))]
pub struct AutostepMemory {
    /// The logarithm of step size over initial step size.
    step: Weight,
    /// The trace of recent updates, h.
    trace: Weight,
    /// The normaliser of the step size's own steps, v.
    size: Weight,
}

// SAFETY: it is three atomics, and all bits zero are three zeros.
unsafe impl Zeroed for AutostepMemory {}

impl AutostepMemory {
    fn words(&self) -> [&Weight; 3] {
        [&self.step, &self.trace, &self.size]
    }
}

impl Memory for AutostepMemory {
    const WORDS: usize = 3;

    fn word(&self, number: usize) -> u32 {
        self.words()[number].get().to_bits()
    }

    fn set_word(&self, number: usize, value: u32) {
        self.words()[number].set(f32::from_bits(value));
    }
}

/// Autostep for features that are the numbers of times that a position has a weight:
/// 1, or more where its images look alike.
#[derive(Clone, Copy, Debug)]
pub struct Autostep {
    /// The meta step size.
    pub mu: f32,
    /// How fast the normaliser forgets.
    pub tau: f32,
    /// The step size of a weight that was never updated.
    pub initial: f32,
}

impl Rule for Autostep {
    type Memory = AutostepMemory;
    const MEMORY: &'static str = "autostep";

    #[inline(always)]
    fn update(&self, table: Table<'_, AutostepMemory>, places: &[Place], error: f32, factor: f32) {
        let error = error * factor;
        let mut total = 0.0;
        for (place, feature) in features(places) {
            let memory = table.memory.at(place);
            let gain = error * feature * memory.trace.get();
            let mut log = memory.step.get();
            let step = self.initial * log.exp();
            let size = memory.size.get();
            let forgetting = self.tau * step * feature * feature;
            let size = gain.abs().max(size + forgetting * (gain.abs() - size));
            if size > 0.0 {
                log += self.mu * gain / size;
            }
            memory.size.set(size);
            memory.step.set(log);
            total += self.initial * log.exp() * feature * feature;
        }
        // An update with step sizes whose sum was more than 1 would go past its target.
        let excess = total.max(1.0).ln();
        for (place, feature) in features(places) {
            let (weight, memory) = (table.weights.at(place), table.memory.at(place));
            let log = memory.step.get() - excess;
            let step = self.initial * log.exp();
            memory.step.set(log);
            let change = step * error * feature;
            weight.set(weight.get() + change);
            let kept = 1.0 - step * feature * feature;
            memory.trace.set(memory.trace.get() * kept + change);
        }
    }
}

/// Each of the places once, with how often it is there.
fn features(places: &[Place]) -> impl Iterator<Item = (Place, f32)> {
    places.iter().enumerate().filter(|(k, place)| !places[..*k].contains(place)).map(
        |(k, &place)| {
            let times = places[k..].iter().filter(|&&other| other == place).count();
            (place, times as f32)
        },
    )
}
