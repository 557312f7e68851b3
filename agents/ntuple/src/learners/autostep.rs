//! `autostep-ntuple`: Autostep. Each weight's step size grows while its errors agree in sign, and
//! is normalised so that no update overshoots its target.

use crate::learner::{Algorithm, Ntuple};
use crate::options::{Joint, Shared};
use crate::rule::Rule;
use agent_ntuple_network::memory::Entries;
use agent_ntuple_network::{Memory, Record, Weight, WeightIndex};
use bytemuck::Zeroable;
use runner_core::{BuildContext, BuildError, Spec, parameters};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

#[derive(Debug, Default, Zeroable)]
#[repr(C)]
pub struct AutostepMemory {
    /// Step size α divided by the initial step size.
    relative_step: OneIfZeroed,
    /// Trace h of recent updates.
    trace: Weight,
    /// Normaliser v of the step size's changes.
    normaliser: Weight,
}

/// A number that is 1 in zeroed memory: its bits are stored XOR the bits of 1.
#[derive(Debug, Default, Zeroable)]
#[repr(transparent)]
struct OneIfZeroed(AtomicU32);

impl OneIfZeroed {
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
    const NAME: &'static str = "autostep, parts";
    const WORDS: usize = 3;

    fn word(&self, number: usize) -> u32 {
        [self.relative_step.get(), self.trace.get(), self.normaliser.get()][number].to_bits()
    }

    fn set_word(&self, number: usize, value: u32) {
        let value = f32::from_bits(value);
        match number {
            0 => self.relative_step.set(value),
            1 => self.trace.set(value),
            _ => self.normaliser.set(value),
        }
    }
}

/// Minimum relative step size. A step size of 0 would never grow again.
const MIN_RELATIVE_STEP: f32 = 1e-30;

/// Autostep, with a step size α, a trace h and a normaliser v of each weight w. After an error δ:
///
/// ```text
/// v ← max(|δ φ h|, v + τ α φ² (|δ φ h| - v))
/// α ← α exp(μ δ φ h / v), if v > 0
/// α ← α / max(Σ α φ², 1), the sum over the weights of the position
/// w ← w + α δ φ
/// h ← h (1 - α φ²) + α δ φ
/// ```
///
/// A. R. Mahmood, R. S. Sutton, T. Degris and P. M. Pilarski, "Tuning-free step-size adaptation"
/// (2012). The feature φ of a weight is the number of times that a position reads it: 1, or more if
/// images of the position are equal.
#[derive(Clone, Copy, Debug)]
pub struct Autostep {
    /// Meta step size μ.
    mu: f32,
    /// Rate τ at which the normaliser decays.
    tau: f32,
    /// Step size of a weight before its first update.
    initial: f32,
}

impl Autostep {
    /// Creates the rule. The step size of each weight starts at `initial / lookups`. If it started
    /// at `initial`, each new weight would halve the step sizes of the weights that are updated
    /// with it, and weights that meet many new ones would soon stop learning.
    pub fn new(mu: f32, tau: f32, initial: f32, lookups: usize) -> Self {
        Self { mu, tau, initial: initial / lookups as f32 }
    }
}

impl Rule for Autostep {
    type Memory = AutostepMemory;

    #[inline(always)]
    fn update(
        &self,
        records: Entries<'_, Record<AutostepMemory>>,
        indices: &[WeightIndex],
        error: f32,
        factor: f32,
    ) {
        let error = error * factor;
        if all_differ(indices) {
            self.update_with(records, error, || indices.iter().map(|&index| (index, 1.0)));
        } else {
            self.update_with(records, error, || features(indices));
        }
    }
}

impl Autostep {
    /// Updates each weight once. `features` lists the weights and their features φ, in the same
    /// order at each call.
    #[inline(always)]
    fn update_with<I: Iterator<Item = (WeightIndex, f32)>>(
        &self,
        records: Entries<'_, Record<AutostepMemory>>,
        error: f32,
        features: impl Fn() -> I,
    ) {
        // Σ α φ².
        let mut total = 0.0;
        for (index, feature) in features() {
            let memory = &records.at(index).memory;
            // δ φ h.
            let gain = error * feature * memory.trace.get();
            let old_step = memory.relative_step.get();
            let old_normaliser = memory.normaliser.get();
            let decay = self.tau * self.initial * old_step * feature * feature;
            let normaliser = gain.abs().max(old_normaliser + decay * (gain.abs() - old_normaliser));
            let growth = if normaliser > 0.0 { (self.mu * gain / normaliser).exp() } else { 1.0 };
            let relative_step = old_step * growth;
            memory.normaliser.set(normaliser);
            memory.relative_step.set(relative_step);
            total += self.initial * relative_step * feature * feature;
        }
        // An update with a total step size above 1 would overshoot its target.
        let share = 1.0 / total.max(1.0);
        for (index, feature) in features() {
            let Record { weight, memory } = records.at(index);
            let relative_step = (memory.relative_step.get() * share).max(MIN_RELATIVE_STEP);
            memory.relative_step.set(relative_step);
            let alpha = self.initial * relative_step;
            let change = alpha * error * feature;
            weight.touch(weight.get() + change);
            let kept = 1.0 - alpha * feature * feature;
            memory.trace.set(memory.trace.get() * kept + change);
        }
    }
}

/// Returns true if no two indices are equal. The inner loop has no branch, so that it is
/// vectorised.
#[inline(always)]
fn all_differ(indices: &[WeightIndex]) -> bool {
    !indices.iter().enumerate().any(|(k, &index)| {
        indices[k + 1..].iter().fold(false, |found, &other| found | (other == index))
    })
}

/// Returns each index once, in the order of first occurrence, with the number of its occurrences.
fn features(indices: &[WeightIndex]) -> impl Iterator<Item = (WeightIndex, f32)> {
    indices.iter().enumerate().filter(|(k, index)| !indices[..*k].contains(index)).map(
        |(k, &index)| {
            let times = indices[k..].iter().filter(|&&other| other == index).count();
            (index, times as f32)
        },
    )
}

parameters! {
    /// The parameters of `autostep-ntuple`.
    pub struct AutostepConfig {
        ..pub shared: Shared;
        ..pub joint: Joint;
        /// Meta step size μ
        pub mu: f32 = 0.1, above(0.0).up_to(1.0);
        /// Decay rate τ of the normaliser of step size changes
        pub tau: f32 = 0.0001, above(0.0).up_to(1.0);
        /// Initial step size of a position; each of its m weights gets initial/m
        pub initial: f32 = 1.0, above(0.0).up_to(1.0);
    }
}

impl Algorithm for Autostep {
    const NAME: &'static str = "autostep-ntuple";
    const ABOUT: &'static str = "an n-tuple network that learns by Autostep";
    type Config = AutostepConfig;
    type Rule = Self;

    fn build(
        &AutostepConfig { ref shared, ref joint, mu, tau, initial }: &AutostepConfig,
        spec: &Spec,
        context: &BuildContext<'_>,
    ) -> Result<Ntuple<Self>, BuildError> {
        if shared.lambda.is_some_and(|lambda| lambda != 0.0) {
            let message = "Autostep is defined for `lambda: 0` only";
            return Err(BuildError::of("lambda", message));
        }
        let create_rule = |lookups| Self::new(mu, tau, initial, lookups);
        Ntuple::build(shared, joint, spec, context, create_rule)
    }
}
