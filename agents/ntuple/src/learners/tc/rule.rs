//! Temporal coherence, the default rule of `tc-ntuple`, with E and A of a weight in 32 bits.

use super::duplicates::has_duplicates;
use super::packed::{self, TcMemory};
use crate::rule::Rule;
use crate::schedule::Schedule;
use agent_ntuple_network::memory::Entries;
use agent_ntuple_network::{LANES, Record, WeightIndex};
use wide::{f32x8, u32x8};

/// Temporal coherence learning, with an optional phase of plain TD before it, which leaves E and A
/// unchanged.
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
/// Where an online error updates earlier steps by a decayed part of it, E and A take the whole
/// error, as Algorithm 2 prints it: in 2048 with λ = 0.5 and four 6-tuples the decayed error
/// scores 8% less after 10^9 moves.
#[derive(Clone, Copy, Debug)]
pub struct Tc {
    /// Meta learning rate β over the training.
    beta: Schedule,
    /// The current β, or the step size of plain TD.
    step: f32,
    /// 1/m.
    share: f32,
    /// Share of the whole training that is plain TD, 0 to 1.
    warm_up: f64,
    /// True during plain TD.
    plain: bool,
}

/// Step size of plain TD. With optimistic initialisation, plain TD before TC is the schedule OTD+TC
/// of H. Guei, L.-P. Chen and I-C. Wu, "Optimistic Temporal Difference Learning for 2048" (2021).
const WARM_UP_ALPHA: f32 = 0.1;

impl Tc {
    /// Creates the rule with a meta learning rate that the `lookups` weights of a position
    /// share.
    pub fn new(beta: Schedule, warm_up: f64, lookups: usize) -> Self {
        let share = 1.0 / lookups as f32;
        Self { beta, step: 0.0, share, warm_up, plain: false }.at(0.0)
    }
}

/// Returns the new weights and memory of eight weights: the equation of [`Tc`], where `change` is
/// β/m Δ.
#[inline(always)]
fn updated(v: f32x8, memory: u32x8, error: f32, change: f32) -> (f32x8, u32x8) {
    let (coherence, a) = packed::unpack(memory);
    let alpha = a.simd_eq(f32x8::ZERO).select(f32x8::ONE, coherence.abs());
    let new_v = v + f32x8::splat(change) * alpha;
    let new_e = coherence * a + f32x8::splat(error);
    let new_a = a + f32x8::splat(error.abs());
    let memory = packed::pack(new_e / new_a, new_a, packed::random(v, memory, error));
    (packed::touched(new_v), memory)
}

impl Rule for Tc {
    type Memory = TcMemory;

    fn is_planned(self) -> bool {
        self.warm_up > 0.0 || !self.beta.is_constant()
    }

    fn at(self, done: f64) -> Self {
        let plain = done < self.warm_up;
        Self { plain, step: if plain { WARM_UP_ALPHA } else { self.beta.at(done) }, ..self }
    }

    #[inline(always)]
    fn update(
        &self,
        records: Entries<'_, Record<TcMemory>>,
        indices: &[WeightIndex],
        error: f32,
        factor: f32,
    ) {
        let change = self.step * self.share * error * factor;
        if self.plain {
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
    let (weights, memory) = (new_v.to_array(), new_words.to_array());
    for k in 0..LANES {
        records[k].weight.set(weights[k]);
        records[k].memory.set(memory[k]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use runner_core::Random;

    fn updated_one(weight: f32, word: u32, error: f32, change: f32) -> (f32, u32) {
        let (v, word) = updated(f32x8::splat(weight), u32x8::splat(word), error, change);
        (v.to_array()[0], word.to_array()[0])
    }

    /// Returns E/A and A.
    fn unpacked(word: u32) -> (f32, f32) {
        let (coherence, sum) = packed::unpack(u32x8::splat(word));
        (coherence.to_array()[0], sum.to_array()[0])
    }

    /// Returns a number without a pattern, 0 to 65535.
    fn scattered(k: u32) -> f32 {
        (k.wrapping_mul(0x9e37_79b1) >> 16) as f32
    }

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
            ("a target with noise", |k, weight| 100.0 - weight + scattered(k) / 4096.0 - 8.0),
            ("rewards, with noise", |k, weight| {
                let noise = scattered(k) / 65536.0;
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
                        (weight, word) = updated_one(weight, word, error, error * 0.03);
                    }
                    sum += f64::from(error);
                    size += f64::from(error.abs());
                }
                let (coherence, found) = unpacked(word);
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
                word = updated_one(1.0, word, error, 0.0).1;
                sum += f64::from(error);
                size += f64::from(error.abs());
            }
            let (coherence, found_size) = unpacked(word);
            assert!((f64::from(found_size) / size - 1.0).abs() < 0.5);
            found += f64::from(coherence) / f64::from(weights as u32);
            exact += sum / size / f64::from(weights as u32);
        }
        assert!((found / exact - 1.0).abs() < 0.1, "{found} for {exact}");
    }
}
