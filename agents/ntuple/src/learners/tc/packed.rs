//! The sums E and A of a weight in 32 bits, as the coherence E/A and A.
//!
//! ```text
//! bit 31       sign of E/A
//! bits 14-30   size of E/A: 5 bits of exponent, 12 of mantissa; 0 is zero
//! bits 0-13    A: 8 bits of exponent, 6 of mantissa
//! ```
//!
//! Both are rounded stochastically, so that their expectation is exact: after a million updates,
//! an error is a millionth of A, and rounding to nearest would drop it. The exponent of E/A keeps
//! its rounding noise relative to its size. All functions work on eight words at a time.

use agent_ntuple_network::Memory;
use bytemuck::{Zeroable, cast};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use wide::{f32x8, i32x8, u32x8};

/// The coherence E/A of a weight and the sum A of its absolute errors, in one word.
#[derive(Debug, Default, Zeroable)]
#[repr(transparent)]
pub struct TcMemory(AtomicU32);

impl TcMemory {
    #[inline(always)]
    pub(super) fn get(&self) -> u32 {
        self.0.load(Relaxed)
    }

    #[inline(always)]
    pub(super) fn set(&self, word: u32) {
        self.0.store(word, Relaxed);
    }
}

impl Memory for TcMemory {
    const NAME: &'static str = "coherence float 18, sum 14";
    const WORDS: usize = 1;

    #[inline]
    fn word(&self, _: usize) -> u32 {
        self.get()
    }

    fn set_word(&self, _: usize, value: u32) {
        self.set(value);
    }

    fn allows(word: u32) -> bool {
        unpack_one(word).1.is_finite()
    }

    fn sums(&self) -> Option<(f32, f32)> {
        let (coherence, absolute_sum) = unpack_one(self.get());
        Some((coherence * absolute_sum, absolute_sum))
    }

    fn set_sums(&self, sum: f32, absolute_sum: f32) {
        // Rounding the largest float to the nearest must not give infinity.
        let absolute_sum = absolute_sum.min(f32::MAX / 2.0);
        let coherence = if absolute_sum == 0.0 { 0.0 } else { sum / absolute_sum };
        let word = pack(f32x8::splat(coherence), f32x8::splat(absolute_sum), u32x8::splat(NEAREST));
        self.set(word.to_array()[0]);
    }
}

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
/// Shift that leaves as many bits of a random word as A drops. The hash uses it too.
const RANDOM_SHIFT: u32 = 32 - SUM_DROPPED;
/// Shift for the random bits of the coherence, which differ from those of A.
const SEEN: u32 = 4;
/// Replaces the random bits to round both to the nearest.
const NEAREST: u32 = 1 << 31 | 1 << (SEEN + DROPPED - 1);

/// Returns the coherences E/A and the sums A.
#[inline(always)]
pub(super) fn unpack(words: u32x8) -> (f32x8, f32x8) {
    let sum: f32x8 = cast((words & u32x8::splat((1 << SUM_BITS) - 1)) << SUM_DROPPED);
    let size = words << 1 >> (SUM_BITS + 1);
    let some = !cast::<_, i32x8>(size).simd_eq(i32x8::ZERO);
    let bits = (size + u32x8::splat(LEAST)) << DROPPED;
    let coherence = cast(bits & cast::<_, u32x8>(some) | words & u32x8::splat(SIGN));
    (coherence, sum)
}

/// Returns the words for coherences, limited to -1 to 1, and sums, rounded by random bits.
#[inline(always)]
pub(super) fn pack(coherence: f32x8, sum: f32x8, random: u32x8) -> u32x8 {
    let sum = (cast::<_, u32x8>(sum) + (random >> RANDOM_SHIFT)) >> SUM_DROPPED;
    let bits: u32x8 = cast(coherence.fast_max(-f32x8::ONE).fast_min(f32x8::ONE));
    let random = random >> SEEN & u32x8::splat((1 << DROPPED) - 1);
    let size: i32x8 = cast(((bits & u32x8::splat(!SIGN)) + random) >> DROPPED);
    let size: u32x8 = cast((size - i32x8::splat(LEAST as i32)).max(i32x8::ZERO));
    bits & u32x8::splat(SIGN) | size << SUM_BITS | sum
}

/// Returns random bits for the rounding after an error: a hash of weight, memory and error.
#[inline(always)]
pub(super) fn random(weights: f32x8, words: u32x8, error: f32) -> u32x8 {
    // Errors are often round numbers, whose low bits are zero.
    let error = error.to_bits().wrapping_mul(SCATTER).rotate_left(16);
    let mixed = (cast::<_, u32x8>(weights) * SCATTER) ^ words ^ error;
    let mixed = (mixed ^ mixed >> RANDOM_SHIFT) * SCATTER;
    (mixed ^ mixed >> RANDOM_SHIFT) * SCATTER
}

/// Returns the weights with the sign bit set in those that are zero, see
/// [`touched`](agent_ntuple_network::touched).
#[inline(always)]
pub(super) fn touched(weights: f32x8) -> f32x8 {
    let bits: u32x8 = cast(weights);
    let zero: u32x8 = cast(cast::<_, i32x8>(bits).simd_eq(i32x8::ZERO));
    cast(bits | zero & u32x8::splat(SIGN))
}

fn unpack_one(word: u32) -> (f32, f32) {
    let (coherence, sum) = unpack(u32x8::splat(word));
    (coherence.to_array()[0], sum.to_array()[0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn packing_keeps_coherence_and_sum_within_rounding(
            coherence in -1.0f32..=1.0, shift in 0i32..28, sum in 1e-6f32..1e12, random: u32
        ) {
            let coherence = coherence * 0.5f32.powi(shift);
            let words = pack(f32x8::splat(coherence), f32x8::splat(sum), u32x8::splat(random));
            let (c, s) = unpack_one(words.to_array()[0]);
            prop_assert!((c - coherence).abs() <= coherence.abs() / 4096.0 + 1e-9);
            prop_assert!((s / sum - 1.0).abs() <= 1.0 / 64.0);
        }
    }
}
