//! Autostep (Mahmood and others, 2012): each weight's step size grows while its
//! errors agree, normalised so that no update goes past its target.

use super::{Memory, Rule, Table, Weight};
use crate::memory::Zeroed;
use crate::network::Place;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// The step size of a weight, and two traces.
#[derive(Debug, Default)]
#[repr(C, align(16))]
pub struct AutostepMemory {
    /// The step size as a part of the initial one.
    step: Part,
    /// The trace of recent updates, h.
    trace: Weight,
    /// The normaliser of the step size's own steps, v.
    size: Weight,
}

// SAFETY: it is three atomics; all bits zero are the number 1 and two zeros.
unsafe impl Zeroed for AutostepMemory {}

/// A number that is 1 where nothing was written: its bits are those by which it differs
/// from 1.
#[derive(Debug, Default)]
#[repr(transparent)]
struct Part(AtomicU32);

impl Part {
    const ONE: u32 = 1.0f32.to_bits();

    #[inline(always)]
    fn get(&self) -> f32 {
        f32::from_bits(self.0.load(Relaxed) ^ Self::ONE)
    }

    #[inline(always)]
    fn set(&self, value: f32) {
        self.0.store(value.to_bits() ^ Self::ONE, Relaxed);
    }
}

impl Memory for AutostepMemory {
    const WORDS: usize = 3;

    fn word(&self, number: usize) -> u32 {
        [self.step.get(), self.trace.get(), self.size.get()][number].to_bits()
    }

    fn set_word(&self, number: usize, value: u32) {
        let value = f32::from_bits(value);
        match number {
            0 => self.step.set(value),
            1 => self.trace.set(value),
            _ => self.size.set(value),
        }
    }
}

/// No step size becomes a smaller part of the initial one: from 0 it would not grow again.
const LEAST: f32 = 1e-30;

/// Autostep for features that are the numbers of times that a position has a weight:
/// 1, or more where its images look alike.
#[derive(Clone, Copy, Debug)]
pub struct Autostep {
    /// The meta step size.
    mu: f32,
    /// How fast the normaliser forgets.
    tau: f32,
    /// The step size of a weight that was never updated.
    initial: f32,
}

impl Autostep {
    /// With this meta step size, forgetting, and initial step size, which is shared by
    /// `lookups` weights. Were it each weight's own, one that is new would take half of
    /// the step sizes of all that it meets, and weights that meet many would soon learn
    /// nothing.
    pub fn new(mu: f32, tau: f32, initial: f32, lookups: usize) -> Self {
        Self { mu, tau, initial: initial / lookups as f32 }
    }
}

impl Rule for Autostep {
    type Memory = AutostepMemory;
    const MEMORY: &'static str = "autostep, parts";

    #[inline(always)]
    fn update(&self, table: Table<'_, AutostepMemory>, places: &[Place], error: f32, factor: f32) {
        let error = error * factor;
        match all_differ(places) {
            true => self.change(table, error, || places.iter().map(|&place| (place, 1.0))),
            false => self.change(table, error, || features(places)),
        }
    }
}

impl Autostep {
    /// The rule, for each weight once with its feature.
    #[inline(always)]
    fn change<I: Iterator<Item = (Place, f32)>>(
        &self,
        table: Table<'_, AutostepMemory>,
        error: f32,
        features: impl Fn() -> I,
    ) {
        let mut total = 0.0;
        for (place, feature) in features() {
            let memory = table.memory.at(place);
            let gain = error * feature * memory.trace.get();
            let step = memory.step.get();
            let size = memory.size.get();
            let forgetting = self.tau * self.initial * step * feature * feature;
            let size = gain.abs().max(size + forgetting * (gain.abs() - size));
            let step = if size > 0.0 { step * (self.mu * gain / size).exp() } else { step };
            memory.size.set(size);
            memory.step.set(step);
            total += self.initial * step * feature * feature;
        }
        // An update with step sizes whose sum was more than 1 would go past its target.
        let share = 1.0 / total.max(1.0);
        for (place, feature) in features() {
            let (weight, memory) = (table.weights.at(place), table.memory.at(place));
            let part = (memory.step.get() * share).max(LEAST);
            memory.step.set(part);
            let step = self.initial * part;
            let change = step * error * feature;
            weight.set(weight.get() + change);
            let kept = 1.0 - step * feature * feature;
            memory.trace.set(memory.trace.get() * kept + change);
        }
    }
}

/// Whether no two of the places are the same. Each is held against all later ones
/// without a branch between, eight at once where the machine can.
#[inline(always)]
fn all_differ(places: &[Place]) -> bool {
    !places.iter().enumerate().any(|(k, &place)| {
        places[k + 1..].iter().fold(false, |found, &other| found | (other == place))
    })
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
