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
/// Kept are E/A, which is the step size, as a fixed-point number in 18 bits, and
/// A as a float of 14: 8 bits of exponent and 6 of mantissa. E/A is as exact as
/// it needs to be for a weight's whole life. A is rounded up or down at random,
/// in proportion, so that its expectation is right though its steps are coarse.
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
        let (size, nearest) = (size.min(f32::MAX / 2.0), 1 << (DROPPED - 1));
        let coherence = if size == 0.0 { 0.0 } else { (sum / size).clamp(-1.0, 1.0) };
        self.set_word(0, pack(coherence, size, nearest));
    }
}

/// How many bits the sum of absolute errors has.
const SUM_BITS: u32 = 14;
/// The bits of a float that are not among them.
const DROPPED: u32 = 31 - SUM_BITS;
/// An odd number without a pattern: multiplying by it spreads a change of low bits
/// over all higher ones.
const SCATTER: u32 = 0x9e37_79b1;
/// As many bits as are dropped are left when a word is shifted by this.
const KEPT: u32 = 32 - DROPPED;
/// The coherence 1.
const ONE: f32 = ((1 << 17) - 1) as f32;

/// Coherence E/A and the sum A from their bits.
#[inline(always)]
fn unpack(word: u32) -> (f32, f32) {
    let sum = f32::from_bits((word & ((1 << SUM_BITS) - 1)) << DROPPED);
    ((word as i32 >> SUM_BITS) as f32 * (1.0 / ONE), sum)
}

/// The bits of both, the sum rounded by as many random bits as are dropped.
#[inline(always)]
fn pack(coherence: f32, sum: f32, random: u32) -> u32 {
    let sum = (sum.to_bits() + random) >> DROPPED;
    ((coherence * ONE).round_ties_even() as i32 as u32) << SUM_BITS | sum
}

/// Temporal coherence, after a time of plain TD if that is wished for.
#[derive(Clone, Copy, Debug)]
pub struct Tc {
    beta: Schedule,
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
    pub fn new(beta: Schedule, warm_up: Option<WarmUp>, lookups: usize) -> Self {
        let share = 1.0 / lookups as f32;
        Self { beta, step: 0.0, share, warm_up, plain: false }.at(0.0)
    }
}

impl Rule for Tc {
    type Memory = TcMemory;
    const MEMORY: &'static str = "coherence 18, sum 14";

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
    // Weight, memory and error together hardly ever come again. What is in the high
    // bits of the error, which may be a round number, is wanted in the low ones.
    let mixed = weight.to_bits() ^ word ^ error.to_bits().rotate_left(16);
    let mixed = mixed.wrapping_mul(SCATTER);
    // Once is not enough: a weight that grows evenly would get an even sequence.
    let mixed = (mixed ^ mixed >> KEPT).wrapping_mul(SCATTER);
    (new, pack(coherence, new_sum, mixed >> KEPT))
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
    let sum: f32x8 = cast((words & u32x8::splat((1 << SUM_BITS) - 1)) << DROPPED);
    let coherence = f32x8::from_i32x8(cast::<_, i32x8>(words) >> SUM_BITS) * (1.0 / ONE);
    let rate = sum.simd_eq(f32x8::ZERO).select(f32x8::ONE, coherence.abs());
    let new = weights + f32x8::splat(change) * rate;
    let new_sum = sum + f32x8::splat(error.abs());
    let coherence = (coherence * sum + f32x8::splat(error)) / new_sum;
    let mixed = cast::<_, u32x8>(weights) ^ words ^ error.to_bits().rotate_left(16);
    let mixed = mixed * SCATTER;
    let mixed = (mixed ^ mixed >> KEPT) * SCATTER;
    let bits = cast::<_, u32x8>(new_sum) + (mixed >> KEPT);
    let coherence: u32x8 = cast((coherence * ONE).fast_round_int());
    (new, coherence << SUM_BITS | bits >> DROPPED)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
            coherence in -1.0f32..=1.0, sum in 1e-6f32..1e12, random in 0u32..1 << DROPPED
        ) {
            let (c, s) = unpack(pack(coherence, sum, random));
            prop_assert!((c - coherence).abs() <= 0.51 / ONE);
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
            ("rewards", |k, weight| [0.0, 4.0, 8.0, 32.0][k as usize * 7 / 5 % 4] - weight),
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
}
