//! The rule of `tc-ntuple`: temporal coherence, after an optional phase of plain TD.

use super::duplicates::has_duplicates;
use super::packed::{self, TcMemory};
use crate::rule::Rule;
use crate::schedule::Schedule;
use agent_ntuple_network::memory::Entries;
use agent_ntuple_network::{LANES, Record, WeightIndex};
use wide::{f32x8, u32x8};

/// Temporal coherence learning, with an optional phase of plain TD before it. Plain TD leaves E and
/// A unchanged.
///
/// D. F. Beal and M. C. Smith, "Temporal coherence and prediction decay in TD learning" (1999);
/// for n-tuple networks Algorithms 2 and 4 of W. Jaśkowski, "Mastering 2048 with Delayed Temporal
/// Coherence Learning, Multi-Stage Weight Promotion, Redundant Encoding and Carousel Shaping"
/// (2018). For each of the m weights of a position, after an error Δ of its value:
///
/// ```text
/// α = |E| / A, or 1 if A = 0
/// V ← V + β α/m Δ
/// E ← E + Δ
/// A ← A + |Δ|
/// ```
///
/// If an error updates earlier steps by a part of a full update, V changes by this part, but E and
/// A take the whole error, as Algorithm 2 prints it. If E and A take the same part of the error,
/// the score in 2048 with λ = 0.5 and four 6-tuples is 8% less after 10^9 moves.
#[derive(Clone, Copy, Debug)]
pub struct Tc {
    /// Meta learning rate β over the training.
    beta: Schedule,
    /// The current β; during plain TD its step size [`WARM_UP_ALPHA`].
    step_size: f32,
    /// 1/m.
    share: f32,
    /// Share of the whole training that is plain TD, 0 to 1.
    warm_up: f64,
    /// True during plain TD.
    is_plain: bool,
}

/// Step size of plain TD. With optimistic initialisation, plain TD before TC is the schedule OTD+TC
/// of H. Guei, L.-P. Chen and I-C. Wu, "Optimistic Temporal Difference Learning for 2048" (2021).
const WARM_UP_ALPHA: f32 = 0.1;

impl Tc {
    /// Creates the rule as it is at the start of a training. The `lookups` weights of a position
    /// share the meta learning rate.
    pub fn new(beta: Schedule, warm_up: f64, lookups: usize) -> Self {
        let share = 1.0 / lookups as f32;
        Self { beta, step_size: 0.0, share, warm_up, is_plain: false }.at(0.0)
    }
}

/// Returns the new values and words of eight weights: the equation of [`Tc`], where `change` is
/// β/m Δ, times the factor of the update.
#[inline(always)]
fn updated(v: f32x8, words: u32x8, error: f32, change: f32) -> (f32x8, u32x8) {
    let (coherence, a) = packed::unpack(words);
    let alpha = a.simd_eq(f32x8::ZERO).select(f32x8::ONE, coherence.abs());
    let new_v = v + f32x8::splat(change) * alpha;
    let new_e = coherence * a + f32x8::splat(error);
    let new_a = a + f32x8::splat(error.abs());
    let new_words = packed::pack(new_e / new_a, new_a, packed::random(v, words, error));
    (packed::touched(new_v), new_words)
}

impl Rule for Tc {
    type Memory = TcMemory;

    fn is_planned(self) -> bool {
        self.warm_up > 0.0 || !self.beta.is_constant()
    }

    fn at(self, done: f64) -> Self {
        let is_plain = done < self.warm_up;
        let step_size = if is_plain { WARM_UP_ALPHA } else { self.beta.at(done) };
        Self { is_plain, step_size, ..self }
    }

    #[inline(always)]
    fn update(
        &self,
        records: Entries<'_, Record<TcMemory>>,
        indices: &[WeightIndex],
        error: f32,
        factor: f32,
    ) {
        let change = self.step_size * self.share * error * factor;
        if self.is_plain {
            for &index in indices {
                let weight = &records.at(index).weight;
                weight.touch(weight.get() + change);
            }
            return;
        }
        if error == 0.0 {
            return;
        }
        let (eights, rest) = indices.as_chunks::<LANES>();
        for eight in eights {
            if has_duplicates(eight) {
                update_each(records, eight, error, change);
            } else {
                update_eight(records, eight, error, change);
            }
        }
        update_each(records, rest, error, change);
    }
}

/// Updates weights one after the other. The same weight may be among them several times.
fn update_each(
    records: Entries<'_, Record<TcMemory>>,
    indices: &[WeightIndex],
    error: f32,
    change: f32,
) {
    for &index in indices {
        let Record { weight, memory } = records.at(index);
        let (v, word) = (f32x8::splat(weight.get()), u32x8::splat(memory.get()));
        let (new_v, new_word) = updated(v, word, error, change);
        weight.set(new_v.to_array()[0]);
        memory.set(new_word.to_array()[0]);
    }
}

/// Updates eight different weights together.
#[inline(always)]
fn update_eight(
    records: Entries<'_, Record<TcMemory>>,
    indices: &[WeightIndex; LANES],
    error: f32,
    change: f32,
) {
    let records = records.eight(indices);
    let v = f32x8::from(records.map(|record| record.weight.get()));
    let words = u32x8::from(records.map(|record| record.memory.get()));
    let (new_v, new_words) = updated(v, words, error, change);
    let (new_v, new_words) = (new_v.to_array(), new_words.to_array());
    for k in 0..LANES {
        records[k].weight.set(new_v[k]);
        records[k].memory.set(new_words[k]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use runner_core::Random;

    fn updated_one(weight: f32, word: u32, error: f32, change: f32) -> (f32, u32) {
        let (v, words) = updated(f32x8::splat(weight), u32x8::splat(word), error, change);
        (v.to_array()[0], words.to_array()[0])
    }

    /// Returns a number without a pattern, 0 to 65535.
    fn scattered(k: u32) -> f32 {
        (k.wrapping_mul(0x9e37_79b1) >> 16) as f32
    }

    /// Returns the error number k of a weight.
    type Errors = fn(k: u32, weight: f32) -> f32;

    #[test]
    fn errors_below_the_resolution_of_the_sum_are_counted() {
        // Two neighbouring values of A differ by about 1/64 of A. Stochastic rounding is exact in
        // the mean, with a standard deviation of about 9% of A for a single weight. The noise
        // averages out over the weights, unless errors repeat: equal inputs have equal random
        // bits.
        let sequences: [(&str, Errors); 5] = [
            ("alternating round numbers", |k, _| if k % 2 == 0 { 1.0 } else { -0.5 }),
            ("opposite numbers", |k, _| if k % 2 == 0 { 4.0 } else { -4.0 }),
            ("one constant", |_, _| 2.0),
            ("a target with noise", |k, weight| 100.0 - weight + scattered(k) / 4096.0 - 8.0),
            ("rewards, with noise", |k, weight| {
                let noise = scattered(k) / 65536.0;
                [0.0, 4.0, 8.0, 32.0][k as usize * 7 / 5 % 4] - weight + noise
            }),
        ];
        const WEIGHTS: u32 = 64;
        for (what, errors) in sequences {
            let mut mean_ratio = 0.0;
            for start in 0..WEIGHTS {
                let (mut weight, mut word) = (start as f32, 0);
                let (mut e, mut a) = (0.0f64, 0.0f64);
                for k in 0..50_000 {
                    let error = errors(k, weight);
                    if error != 0.0 {
                        (weight, word) = updated_one(weight, word, error, error * 0.03);
                    }
                    e += f64::from(error);
                    a += f64::from(error.abs());
                }
                let (found_coherence, found_a) = packed::unpack_one(word);
                mean_ratio += f64::from(found_a) / a / f64::from(WEIGHTS);
                let difference = f64::from(found_coherence) - e / a;
                assert!(difference.abs() < 0.1, "{what}: {found_coherence} for {}", e / a);
            }
            assert!((mean_ratio - 1.0).abs() < 0.15, "{what}: {mean_ratio}");
        }
    }

    #[test]
    fn coherence_follows_a_drift_after_millions_of_errors() {
        // The errors are uniform from -1 to 1, in the second half with a small bias. Each changes
        // E/A by far less than the resolution of 18 bits, so rounding to the nearest would lose the
        // bias.
        const WEIGHTS: u64 = 32;
        const HALF: u32 = 1_000_000;
        let (mut mean_found, mut mean_exact) = (0.0, 0.0);
        for number in 0..WEIGHTS {
            let mut random = Random::from_word(number);
            let (mut word, mut e, mut a) = (0, 0.0, 0.0);
            for k in 0..2 * HALF {
                let unbiased = (random.word() >> 40) as f32 / (1 << 23) as f32 - 1.0;
                let error = unbiased + if k < HALF { 0.0 } else { 0.02 };
                word = updated_one(1.0, word, error, 0.0).1;
                e += f64::from(error);
                a += f64::from(error.abs());
            }
            let (coherence, found_a) = packed::unpack_one(word);
            assert!((f64::from(found_a) / a - 1.0).abs() < 0.5);
            mean_found += f64::from(coherence) / WEIGHTS as f64;
            mean_exact += e / a / WEIGHTS as f64;
        }
        assert!((mean_found / mean_exact - 1.0).abs() < 0.1, "{mean_found} for {mean_exact}");
    }
}
