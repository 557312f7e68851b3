//! Temporal coherence: each weight's step size is how much its errors agree.

use super::{AT_ONCE, Memory, Rule, Table, has_twins};
use crate::memory::Zeroed;
use crate::network::Place;
use crate::schedule::Schedule;
use bytemuck::cast;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use wide::{f32x8, i32x8, u32x8};

/// The coherence of a weight, in one word.
///
/// The rule wants E, the sum of errors, and A, that of their absolute values.
/// Kept are E/A, which is the step size, as a float of 18 bits (a sign, 5 bits of
/// exponent, 12 of mantissa), and A as one of 14 (8 bits of exponent and 6 of
/// mantissa). Both are rounded up or down at random, in proportion, so that their
/// expectation is right though their steps are coarse: the error of a weight that has
/// seen a million is a millionth of its A, and rounded to the nearest it would change
/// nothing any more. That E/A has an exponent keeps its noise below itself, however
/// small it becomes.
#[derive(Debug, Default)]
#[repr(transparent)]
pub struct TcMemory(AtomicU32);

// SAFETY: it is one atomic, and all bits zero say that there was no error.
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
        let (coherence, size) = unpack(self.word(0));
        Some((coherence * size, size))
    }

    fn set_sums(&self, sum: f32, size: f32) {
        // To the nearest; the largest must not become infinite by that.
        let size = size.min(f32::MAX / 2.0);
        let coherence = if size == 0.0 { 0.0 } else { sum / size };
        self.set_word(0, pack(coherence, size, NEAREST));
    }
}

/// How many bits the sum of absolute errors has.
const SUM_BITS: u32 = 14;
/// The bits of a float that are not among them.
const SUM_DROPPED: u32 = 31 - SUM_BITS;
/// The bits of a float's mantissa that the coherence does not have.
const DROPPED: u32 = 11;
/// What is taken from a float's other bits: the coherence has no exponents below that
/// of 2^-31, so that what is left of the number 1 has 17 bits.
const LEAST: u32 = 96 << 12;
const SIGN: u32 = 1 << 31;
/// An odd number without a pattern: multiplying by it spreads a change of low bits
/// over all higher ones.
const SCATTER: u32 = 0x9e37_79b1;
/// As many bits as the sum drops are left when a word is shifted by this.
const SUM_KEPT: u32 = 32 - SUM_DROPPED;
/// As many bits as the coherence drops are left when these are taken from a word: bits
/// that the sum does not see.
const SEEN: u32 = 4;
/// In the place of random bits: both are rounded to the nearest.
const NEAREST: u32 = 1 << 31 | 1 << (SEEN + DROPPED - 1);

/// Coherence E/A and the sum A from their bits.
#[inline(always)]
fn unpack(word: u32) -> (f32, f32) {
    let sum = f32::from_bits((word & ((1 << SUM_BITS) - 1)) << SUM_DROPPED);
    let coherence = match word << 1 >> (SUM_BITS + 1) {
        0 => 0.0,
        size => f32::from_bits((size + LEAST) << DROPPED | word & SIGN),
    };
    (coherence, sum)
}

/// The bits of both, rounded by random ones.
#[inline(always)]
fn pack(coherence: f32, sum: f32, random: u32) -> u32 {
    let sum = (sum.to_bits() + (random >> SUM_KEPT)) >> SUM_DROPPED;
    let bits = coherence.clamp(-1.0, 1.0).to_bits();
    let size = (bits & !SIGN) + (random >> SEEN & ((1 << DROPPED) - 1));
    let size = (size >> DROPPED).saturating_sub(LEAST);
    bits & SIGN | size << SUM_BITS | sum
}

/// The error that an online update adds to the sums E and A of the weights of an earlier
/// step. Update schemes that correct each step once add the error of that correction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accumulate {
    /// The error δ of the last step, as the paper's Algorithm 2 prints it.
    Error,
    /// The error as the weights see it, λ^k δ at k steps before the last.
    DecayedError,
}

impl Accumulate {
    /// Returns what to add for `error`, of which `factor` corrects the weights.
    #[inline(always)]
    pub(super) fn of(self, error: f32, factor: f32) -> f32 {
        match self {
            Self::Error => error,
            Self::DecayedError => error * factor,
        }
    }
}

/// Temporal coherence, after a time of plain TD if that is wished for.
#[derive(Clone, Copy, Debug)]
pub struct Tc {
    beta: Schedule,
    accumulate: Accumulate,
    step: f32,
    share: f32,
    warm_up: Option<WarmUp>,
    /// Whether it is plain TD now.
    plain: bool,
}

/// A first part of the training that leaves the coherences alone.
#[derive(Clone, Copy, Debug)]
pub struct WarmUp {
    /// The part of the whole training.
    pub share: f64,
    /// The step size.
    pub alpha: f32,
}

impl Tc {
    /// With this meta step size, shared by `lookups` weights.
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
    fn update(&self, table: Table<'_, TcMemory>, places: &[Place], error: f32, factor: f32) {
        let change = self.step * self.share * error * factor;
        if self.plain {
            for &place in places {
                let weight = table.weights.at(place);
                weight.set(weight.get() + change);
            }
            return;
        }
        let error = self.accumulate.of(error, factor);
        if error == 0.0 {
            return;
        }
        let (eights, rest) = places.as_chunks::<AT_ONCE>();
        for eight in eights {
            if has_twins(eight) {
                change_each(table, eight, error, change);
            } else {
                change_all(table, eight, error, change);
            }
        }
        change_each(table, rest, error, change);
    }
}

/// The new weight and memory after an error.
#[inline(always)]
fn changed(weight: f32, word: u32, error: f32, change: f32) -> (f32, u32) {
    let (coherence, sum) = unpack(word);
    let rate = if sum == 0.0 { 1.0 } else { coherence.abs() };
    let new = weight + change * rate;
    let new_sum = sum + error.abs();
    let coherence = (coherence * sum + error) / new_sum;
    // Weight, memory and error together hardly ever come again.
    let mixed = weight.to_bits().wrapping_mul(SCATTER) ^ word ^ scattered(error);
    let mixed = (mixed ^ mixed >> SUM_KEPT).wrapping_mul(SCATTER);
    let mixed = (mixed ^ mixed >> SUM_KEPT).wrapping_mul(SCATTER);
    (new, pack(coherence, new_sum, mixed))
}

/// What is in the high bits of an error, which may be a round number, is wanted in the
/// low ones.
#[inline(always)]
fn scattered(error: f32) -> u32 {
    error.to_bits().wrapping_mul(SCATTER).rotate_left(16)
}

fn change_each(table: Table<'_, TcMemory>, places: &[Place], error: f32, change: f32) {
    for &place in places {
        let (weight, memory) = (table.weights.at(place), &table.memory.at(place).0);
        let (new, word) = changed(weight.get(), memory.load(Relaxed), error, change);
        weight.set(new);
        memory.store(word, Relaxed);
    }
}

/// The same for places of which no two are the same, all at once.
#[inline(always)]
fn change_all(table: Table<'_, TcMemory>, places: &[Place; AT_ONCE], error: f32, change: f32) {
    let weights = f32x8::from(places.map(|place| table.weights.at(place).get()));
    let words = places.map(|place| table.memory.at(place).0.load(Relaxed));
    let (new, words) = changed_all(weights, u32x8::from(words), error, change);
    let (new, words) = (new.to_array(), words.to_array());
    for (k, &place) in places.iter().enumerate() {
        table.weights.at(place).set(new[k]);
        table.memory.at(place).0.store(words[k], Relaxed);
    }
}

/// [`changed`] for eight weights.
#[inline(always)]
fn changed_all(weights: f32x8, words: u32x8, error: f32, change: f32) -> (f32x8, u32x8) {
    let sum: f32x8 = cast((words & u32x8::splat((1 << SUM_BITS) - 1)) << SUM_DROPPED);
    let size = words << 1 >> (SUM_BITS + 1);
    let some = !cast::<_, i32x8>(size).simd_eq(i32x8::ZERO);
    let bits = (size + u32x8::splat(LEAST)) << DROPPED;
    let coherence: f32x8 = cast(bits & cast::<_, u32x8>(some) | words & u32x8::splat(SIGN));
    let rate = sum.simd_eq(f32x8::ZERO).select(f32x8::ONE, coherence.abs());
    let new = weights + f32x8::splat(change) * rate;
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
        fn eight_at_once_change_as_each_does(
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
                changed_all(f32x8::from(weights), u32x8::from(words), error, change);
            for k in 0..8 {
                let one = changed(weights[k], words[k], error, change);
                prop_assert_eq!(one.0.to_bits(), new.to_array()[k].to_bits());
                prop_assert_eq!(one.1, memory.to_array()[k]);
            }
        }

        #[test]
        fn what_is_packed_is_near_to_what_was_meant(
            coherence in -1.0f32..=1.0, shift in 0i32..28, sum in 1e-6f32..1e12, random: u32
        ) {
            let coherence = coherence * 0.5f32.powi(shift);
            let (c, s) = unpack(pack(coherence, sum, random));
            prop_assert!((c - coherence).abs() <= coherence.abs() / 4096.0 + 1e-9);
            prop_assert!((s / sum - 1.0).abs() <= 1.0 / 64.0);
        }
    }

    /// The error of the k-th correction of a weight that is worth so much.
    type Errors = fn(u32, f32) -> f32;

    #[test]
    fn errors_far_below_the_resolution_of_the_sum_are_counted() {
        // A step of the sum is about 1/64 of it, and comes in the mean when the errors
        // make up for it: its own error is an eighth of what was added since it was
        // half as large. Over many weights that evens out, but for courses that repeat
        // themselves, whose random bits do so too.
        let courses: [(&str, Errors); 5] = [
            ("round numbers that take turns", |k, _| if k % 2 == 0 { 1.0 } else { -0.5 }),
            ("opposite numbers", |k, _| if k % 2 == 0 { 4.0 } else { -4.0 }),
            ("one number", |_, _| 2.0),
            ("what is learned, with noise", |k, weight| {
                100.0 - weight + (k.wrapping_mul(SCATTER) >> 16) as f32 / 4096.0 - 8.0
            }),
            ("rewards, with noise", |k, weight| {
                let noise = (k.wrapping_mul(SCATTER) >> 16) as f32 / 65536.0;
                [0.0, 4.0, 8.0, 32.0][k as usize * 7 / 5 % 4] - weight + noise
            }),
        ];
        for (what, errors) in courses {
            let (mut ratio, weights) = (0.0, 64);
            for start in 0..weights {
                let (mut weight, mut word) = (start as f32, 0);
                let (mut sum, mut size) = (0.0f64, 0.0f64);
                for k in 0..50_000 {
                    let error = errors(k, weight);
                    if error != 0.0 {
                        (weight, word) = changed(weight, word, error, error * 0.03);
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
    fn a_weight_that_has_seen_millions_goes_on_learning() {
        // Errors without a direction, and then with a slight one: what that makes of
        // E/A is far below the resolution of a number of 18 bits that is rounded to the
        // nearest.
        let (weights, half) = (32, 1_000_000);
        let (mut found, mut exact) = (0.0, 0.0);
        for number in 0..weights {
            let mut random = Random::from_word(number);
            let (mut word, mut sum, mut size) = (0, 0.0, 0.0);
            for k in 0..2 * half {
                let error = (random.word() >> 40) as f32 / (1 << 23) as f32 - 1.0;
                let error = error + if k < half { 0.0 } else { 0.02 };
                word = changed(1.0, word, error, 0.0).1;
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
