//! Temporal coherence with E and A in one 32-bit word.

use super::accumulate::Accumulate;
use super::duplicates::has_duplicates;
use crate::memory::Zeroed;
use crate::network::WeightIndex;
use crate::rule::{LANES, Memory, Rule, Tables, touched};
use crate::schedule::Schedule;
use bytemuck::cast;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use wide::{f32x8, i32x8, u32x8};

/// The coherence E/A of a weight and the sum A of its absolute errors, in one word.
///
/// E/A is a float of 18 bits (sign, 5 bits of exponent, 12 of mantissa), A one of 14 bits
/// (8 bits of exponent, 6 of mantissa). Both are rounded stochastically, so that their
/// expectation is exact: after a million updates, an error is a millionth of A, and rounding
/// to nearest would drop it. The exponent of E/A keeps its rounding noise relative to its
/// size.
#[derive(Debug, Default)]
#[repr(transparent)]
pub struct TcMemory(AtomicU32);

#[allow(unsafe_code)]
// SAFETY: one atomic, and all bits zero are the state before the first error.
unsafe impl Zeroed for TcMemory {}

impl Memory for TcMemory {
    const WORDS: usize = 1;

    fn word(&self, _: usize) -> u32 {
        self.0.load(Relaxed)
    }

    fn set_word(&self, _: usize, value: u32) {
        self.0.store(value, Relaxed);
    }

    fn allows(word: u32) -> bool {
        unpack(word).1.is_finite()
    }

    fn sums(&self) -> Option<(f32, f32)> {
        let (coherence, absolute_sum) = unpack(self.word(0));
        Some((coherence * absolute_sum, absolute_sum))
    }

    fn set_sums(&self, sum: f32, absolute_sum: f32) {
        // Rounding the largest float to the nearest must not give infinity.
        let absolute_sum = absolute_sum.min(f32::MAX / 2.0);
        let coherence = if absolute_sum == 0.0 { 0.0 } else { sum / absolute_sum };
        self.set_word(0, pack(coherence, absolute_sum, NEAREST));
    }
}

/// Bits of the sum of absolute errors A.
const SUM_BITS: u32 = 14;
/// Bits of a float's mantissa that A lacks.
const SUM_DROPPED: u32 = 31 - SUM_BITS;
/// Bits of a float's mantissa that the coherence lacks.
const DROPPED: u32 = 11;
/// Subtracted from a float's remaining bits: the coherence has no exponent below 2^-31, so that
/// the number 1 fits in 17 bits.
const LEAST: u32 = 96 << 12;
const SIGN: u32 = 1 << 31;
/// Multiplier of the hash: odd and without a pattern, so that a change of low bits spreads over
/// all higher bits.
const SCATTER: u32 = 0x9e37_79b1;
/// Shift that leaves as many random bits of a word as A drops.
const SUM_KEPT: u32 = 32 - SUM_DROPPED;
/// Shift for the random bits of the coherence, which differ from those of A.
const SEEN: u32 = 4;
/// Replaces the random bits to round both to the nearest.
const NEAREST: u32 = 1 << 31 | 1 << (SEEN + DROPPED - 1);

/// Returns the coherence E/A and the sum A.
#[inline(always)]
fn unpack(word: u32) -> (f32, f32) {
    let sum = f32::from_bits((word & ((1 << SUM_BITS) - 1)) << SUM_DROPPED);
    let coherence = match word << 1 >> (SUM_BITS + 1) {
        0 => 0.0,
        size => f32::from_bits((size + LEAST) << DROPPED | word & SIGN),
    };
    (coherence, sum)
}

/// Returns the word for a coherence and a sum, rounded by random bits.
#[inline(always)]
fn pack(coherence: f32, sum: f32, random: u32) -> u32 {
    let sum = (sum.to_bits() + (random >> SUM_KEPT)) >> SUM_DROPPED;
    let bits = coherence.clamp(-1.0, 1.0).to_bits();
    let size = (bits & !SIGN) + (random >> SEEN & ((1 << DROPPED) - 1));
    let size = (size >> DROPPED).saturating_sub(LEAST);
    bits & SIGN | size << SUM_BITS | sum
}

/// Temporal coherence, with an optional plain TD phase before it.
#[derive(Clone, Copy, Debug)]
pub struct Tc {
    beta: Schedule,
    accumulate: Accumulate,
    step: f32,
    share: f32,
    warm_up: Option<WarmUp>,
    /// True during the plain TD phase.
    plain: bool,
}

/// A plain TD phase at the start of the training, which leaves the memory unchanged.
#[derive(Clone, Copy, Debug)]
pub struct WarmUp {
    /// Share of the whole training, 0 to 1.
    pub share: f64,
    /// Step size.
    pub alpha: f32,
}

impl Tc {
    /// Creates the rule with a meta learning rate that the `lookups` weights of a position
    /// share.
    pub fn new(
        beta: Schedule,
        accumulate: Accumulate,
        warm_up: Option<WarmUp>,
        lookups: usize,
    ) -> Self {
        let share = 1.0 / lookups as f32;
        Self { beta, accumulate, step: 0.0, share, warm_up, plain: false }.at(0.0)
    }
}

impl Rule for Tc {
    type Memory = TcMemory;
    const MEMORY: &'static str = "coherence float 18, sum 14";

    fn is_planned(self) -> bool {
        self.warm_up.is_some() || !self.beta.is_constant()
    }

    fn at(self, done: f64) -> Self {
        match self.warm_up {
            Some(WarmUp { share, alpha }) if done < share => {
                Self { plain: true, step: alpha, ..self }
            }
            _ => Self { plain: false, step: self.beta.at(done), ..self },
        }
    }

    #[inline(always)]
    fn update(
        &self,
        tables: Tables<'_, TcMemory>,
        indices: &[WeightIndex],
        error: f32,
        factor: f32,
    ) {
        let change = self.step * self.share * error * factor;
        if self.plain {
            for &index in indices {
                let weight = tables.weights.at(index);
                weight.touch(weight.get() + change);
            }
            return;
        }
        let error = self.accumulate.amount(error, factor);
        if error == 0.0 {
            return;
        }
        let (eights, rest) = indices.as_chunks::<LANES>();
        for eight in eights {
            if has_duplicates(eight) {
                update_each(tables, eight, error, change);
            } else {
                update_eight(tables, eight, error, change);
            }
        }
        update_each(tables, rest, error, change);
    }
}

/// Returns the new weight and memory word after an error.
#[inline(always)]
fn updated(weight: f32, word: u32, error: f32, change: f32) -> (f32, u32) {
    let (coherence, sum) = unpack(word);
    let rate = if sum == 0.0 { 1.0 } else { coherence.abs() };
    let new = touched(weight + change * rate);
    let new_sum = sum + error.abs();
    let coherence = (coherence * sum + error) / new_sum;
    // A hash of weight, memory and error serves as the random bits.
    let mixed = weight.to_bits().wrapping_mul(SCATTER) ^ word ^ scattered(error);
    let mixed = (mixed ^ mixed >> SUM_KEPT).wrapping_mul(SCATTER);
    let mixed = (mixed ^ mixed >> SUM_KEPT).wrapping_mul(SCATTER);
    (new, pack(coherence, new_sum, mixed))
}

/// Returns a hash of an error. Errors are often round numbers, whose low bits are zero.
#[inline(always)]
fn scattered(error: f32) -> u32 {
    error.to_bits().wrapping_mul(SCATTER).rotate_left(16)
}

/// Updates weights one after the other.
fn update_each(tables: Tables<'_, TcMemory>, indices: &[WeightIndex], error: f32, change: f32) {
    for &index in indices {
        let (weight, memory) = (tables.weights.at(index), &tables.memory.at(index).0);
        let (new, word) = updated(weight.get(), memory.load(Relaxed), error, change);
        weight.set(new);
        memory.store(word, Relaxed);
    }
}

/// Updates eight different weights together.
#[inline(always)]
fn update_eight(
    tables: Tables<'_, TcMemory>,
    indices: &[WeightIndex; LANES],
    error: f32,
    change: f32,
) {
    let weights = f32x8::from(indices.map(|index| tables.weights.at(index).get()));
    let words = indices.map(|index| tables.memory.at(index).0.load(Relaxed));
    let (new, words) = updated_eight(weights, u32x8::from(words), error, change);
    let (new, words) = (new.to_array(), words.to_array());
    for (k, &index) in indices.iter().enumerate() {
        tables.weights.at(index).set(new[k]);
        tables.memory.at(index).0.store(words[k], Relaxed);
    }
}

/// [`updated`] for eight weights.
#[inline(always)]
fn updated_eight(weights: f32x8, words: u32x8, error: f32, change: f32) -> (f32x8, u32x8) {
    let sum: f32x8 = cast((words & u32x8::splat((1 << SUM_BITS) - 1)) << SUM_DROPPED);
    let size = words << 1 >> (SUM_BITS + 1);
    let some = !cast::<_, i32x8>(size).simd_eq(i32x8::ZERO);
    let bits = (size + u32x8::splat(LEAST)) << DROPPED;
    let coherence: f32x8 = cast(bits & cast::<_, u32x8>(some) | words & u32x8::splat(SIGN));
    let rate = sum.simd_eq(f32x8::ZERO).select(f32x8::ONE, coherence.abs());
    let new: u32x8 = cast(weights + f32x8::splat(change) * rate);
    let zero: u32x8 = cast(cast::<_, i32x8>(new).simd_eq(i32x8::ZERO));
    let new: f32x8 = cast(new | zero & u32x8::splat(SIGN));
    let new_sum = sum + f32x8::splat(error.abs());
    let coherence = (coherence * sum + f32x8::splat(error)) / new_sum;
    let mixed = (cast::<_, u32x8>(weights) * SCATTER) ^ words ^ scattered(error);
    let mixed = (mixed ^ mixed >> SUM_KEPT) * SCATTER;
    let mixed = (mixed ^ mixed >> SUM_KEPT) * SCATTER;
    let sum = (cast::<_, u32x8>(new_sum) + (mixed >> SUM_KEPT)) >> SUM_DROPPED;
    let bits: u32x8 = cast(coherence.fast_max(-f32x8::ONE).fast_min(f32x8::ONE));
    let random = mixed >> SEEN & u32x8::splat((1 << DROPPED) - 1);
    let size: i32x8 = cast(((bits & u32x8::splat(!SIGN)) + random) >> DROPPED);
    let size: u32x8 = cast((size - i32x8::splat(LEAST as i32)).max(i32x8::ZERO));
    (new, bits & u32x8::splat(SIGN) | size << SUM_BITS | sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use runner_core::Random;

    proptest! {
        #[test]
        fn updating_eight_together_equals_updating_each(
            weights in prop::array::uniform8(-1e6f32..1e6),
            coherences in prop::array::uniform8(-1.0f32..=1.0),
            sums in prop::array::uniform8(prop_oneof![Just(0.0f32), 1e-3f32..1e9]),
            error in prop_oneof![-1e5f32..1e5, -1e-2f32..1e-2],
            change in -1e4f32..1e4,
        ) {
            prop_assume!(error != 0.0);
            let mut words = [0; 8];
            for k in 0..8 {
                words[k] = pack(coherences[k], sums[k], 0);
            }
            let (new, memory) =
                updated_eight(f32x8::from(weights), u32x8::from(words), error, change);
            for k in 0..8 {
                let one = updated(weights[k], words[k], error, change);
                prop_assert_eq!(one.0.to_bits(), new.to_array()[k].to_bits());
                prop_assert_eq!(one.1, memory.to_array()[k]);
            }
        }

        #[test]
        fn packing_keeps_coherence_and_sum_within_rounding(
            coherence in -1.0f32..=1.0, shift in 0i32..28, sum in 1e-6f32..1e12, random: u32
        ) {
            let coherence = coherence * 0.5f32.powi(shift);
            let (c, s) = unpack(pack(coherence, sum, random));
            prop_assert!((c - coherence).abs() <= coherence.abs() / 4096.0 + 1e-9);
            prop_assert!((s / sum - 1.0).abs() <= 1.0 / 64.0);
        }
    }

    /// Returns the error of update k of a weight with a value.
    type Errors = fn(u32, f32) -> f32;

    #[test]
    fn errors_below_the_resolution_of_the_sum_are_counted() {
        // A step of the sum A is about 1/64 of it. Stochastic rounding is exact in the mean,
        // with a standard deviation of about 9% of A for a single weight. It averages out over
        // the weights, except where errors repeat and thus the random bits do.
        let sequences: [(&str, Errors); 5] = [
            ("alternating round numbers", |k, _| if k % 2 == 0 { 1.0 } else { -0.5 }),
            ("opposite numbers", |k, _| if k % 2 == 0 { 4.0 } else { -4.0 }),
            ("one constant", |_, _| 2.0),
            ("a target with noise", |k, weight| {
                100.0 - weight + (k.wrapping_mul(SCATTER) >> 16) as f32 / 4096.0 - 8.0
            }),
            ("rewards, with noise", |k, weight| {
                let noise = (k.wrapping_mul(SCATTER) >> 16) as f32 / 65536.0;
                [0.0, 4.0, 8.0, 32.0][k as usize * 7 / 5 % 4] - weight + noise
            }),
        ];
        for (what, errors) in sequences {
            let (mut ratio, weights) = (0.0, 64);
            for start in 0..weights {
                let (mut weight, mut word) = (start as f32, 0);
                let (mut sum, mut size) = (0.0f64, 0.0f64);
                for k in 0..50_000 {
                    let error = errors(k, weight);
                    if error != 0.0 {
                        (weight, word) = updated(weight, word, error, error * 0.03);
                    }
                    sum += f64::from(error);
                    size += f64::from(error.abs());
                }
                let (coherence, found) = unpack(word);
                ratio += f64::from(found) / size / f64::from(weights);
                let off = f64::from(coherence) - sum / size;
                assert!(off.abs() < 0.1, "{what}: {coherence} for {}", sum / size);
            }
            assert!((ratio - 1.0).abs() < 0.15, "{what}: {ratio}");
        }
    }

    #[test]
    fn coherence_follows_a_drift_after_millions_of_errors() {
        // Errors without a bias, then with a small one. Each changes E/A by far less than the
        // resolution of 18 bits, so rounding to the nearest would lose the bias.
        let (weights, half) = (32, 1_000_000);
        let (mut found, mut exact) = (0.0, 0.0);
        for number in 0..weights {
            let mut random = Random::from_word(number);
            let (mut word, mut sum, mut size) = (0, 0.0, 0.0);
            for k in 0..2 * half {
                let error = (random.word() >> 40) as f32 / (1 << 23) as f32 - 1.0;
                let error = error + if k < half { 0.0 } else { 0.02 };
                word = updated(1.0, word, error, 0.0).1;
                sum += f64::from(error);
                size += f64::from(error.abs());
            }
            let (coherence, found_size) = unpack(word);
            assert!((f64::from(found_size) / size - 1.0).abs() < 0.5);
            found += f64::from(coherence) / f64::from(weights as u32);
            exact += sum / size / f64::from(weights as u32);
        }
        assert!((found / exact - 1.0).abs() < 0.1, "{found} for {exact}");
    }
}
