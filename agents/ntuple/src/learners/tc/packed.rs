//! The sums E and A of a weight in one word of 32 bits, as the coherence E/A and A. Here the
//! coherence has its sign, -1 to 1.
//!
//! ```text
//! bit 31       sign of E/A
//! bits 14-30   size |E/A|: 5 bits of exponent, 12 of mantissa; all bits 0 is the number 0
//! bits 0-13    A: 8 bits of exponent, 6 of mantissa, as in the upper half of an f32
//!
//! E/A = -0.5   sign 1, exponent 30 (0.5 = 2^(30 - 31)), mantissa 0
//! A = 3.0      exponent 128 and mantissa 0b100000, from the f32 0x4040_0000
//! together     0xf800_2020
//! ```
//!
//! Both are rounded stochastically, so that their expectation is exact: after a million updates,
//! an error is a millionth of A, and rounding to nearest would drop it. E/A has an exponent so that
//! its rounding noise is relative to its size. The functions work on eight words at a time.

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
        // Rounding `f32::MAX` up would give infinity.
        let absolute_sum = absolute_sum.min(f32::MAX / 2.0);
        let coherence = if absolute_sum == 0.0 { 0.0 } else { sum / absolute_sum };
        let word = pack(f32x8::splat(coherence), f32x8::splat(absolute_sum), u32x8::splat(NEAREST));
        self.set(word.to_array()[0]);
    }
}

/// Bits of A in a word. The sign bit of its f32 is 0 and left out.
const SUM_BITS: u32 = 14;
/// Low bits of an f32's mantissa that A drops.
const SUM_DROPPED_BITS: u32 = 31 - SUM_BITS;
/// Low bits of an f32's mantissa that the coherence drops.
const COHERENCE_DROPPED_BITS: u32 = 11;
/// The exponent of an f32 that becomes the exponent 0 of the coherence: 2^-31. It is subtracted
/// from the bits that remain of an f32, so that the number 1 fits in 17 bits.
const EXPONENT_ZERO: u32 = 96 << 12;
const SIGN: u32 = 1 << 31;
/// Multiplier of the hash: odd and without a pattern, so that a change of low bits spreads over
/// all higher bits.
const MULTIPLIER: u32 = 0x9e37_79b1;
/// Shift that leaves as many high bits of a random word as A drops. The hash uses it too.
const SUM_RANDOM_SHIFT: u32 = 32 - SUM_DROPPED_BITS;
/// Lowest of the random bits that round the coherence: bits 4-14, where those of A are bits 15-31.
const COHERENCE_RANDOM_SHIFT: u32 = 4;
/// Rounds both to the nearest in place of a random word: adds half of the lowest bit that is kept.
const NEAREST: u32 = 1 << 31 | 1 << (COHERENCE_RANDOM_SHIFT + COHERENCE_DROPPED_BITS - 1);

/// Returns the coherences E/A and the sums A.
#[inline(always)]
pub(super) fn unpack(words: u32x8) -> (f32x8, f32x8) {
    let sum: f32x8 = cast((words & u32x8::splat((1 << SUM_BITS) - 1)) << SUM_DROPPED_BITS);
    // Without the sign and A.
    let size = words << 1 >> (SUM_BITS + 1);
    let is_not_zero = !cast::<_, i32x8>(size).simd_eq(i32x8::ZERO);
    let size_bits = (size + u32x8::splat(EXPONENT_ZERO)) << COHERENCE_DROPPED_BITS;
    let coherence = cast(size_bits & cast::<_, u32x8>(is_not_zero) | words & u32x8::splat(SIGN));
    (coherence, sum)
}

/// Returns the words for coherences, limited to -1 to 1, and sums. To round stochastically, a
/// random number below the lowest bit that is kept is added to the bits of each.
#[inline(always)]
pub(super) fn pack(coherence: f32x8, sum: f32x8, random: u32x8) -> u32x8 {
    let sum_bits = (cast::<_, u32x8>(sum) + (random >> SUM_RANDOM_SHIFT)) >> SUM_DROPPED_BITS;
    let bits: u32x8 = cast(coherence.fast_max(-f32x8::ONE).fast_min(f32x8::ONE));
    let addend = random >> COHERENCE_RANDOM_SHIFT & u32x8::splat((1 << COHERENCE_DROPPED_BITS) - 1);
    let rounded: i32x8 = cast(((bits & u32x8::splat(!SIGN)) + addend) >> COHERENCE_DROPPED_BITS);
    // Sizes below the least exponent become zero.
    let size: u32x8 = cast((rounded - i32x8::splat(EXPONENT_ZERO as i32)).max(i32x8::ZERO));
    bits & u32x8::splat(SIGN) | size << SUM_BITS | sum_bits
}

/// Returns random words for the rounding after an error: a hash of weight, word and error.
#[inline(always)]
pub(super) fn random(weights: f32x8, words: u32x8, error: f32) -> u32x8 {
    // Errors are often round numbers, whose low bits are zero.
    let error_bits = error.to_bits().wrapping_mul(MULTIPLIER).rotate_left(16);
    let mixed = (cast::<_, u32x8>(weights) * MULTIPLIER) ^ words ^ error_bits;
    let mixed_twice = (mixed ^ mixed >> SUM_RANDOM_SHIFT) * MULTIPLIER;
    (mixed_twice ^ mixed_twice >> SUM_RANDOM_SHIFT) * MULTIPLIER
}

/// Returns the weights with the sign bit set in those that are zero, see
/// [`touched`](agent_ntuple_network::touched).
#[inline(always)]
pub(super) fn touched(weights: f32x8) -> f32x8 {
    let bits: u32x8 = cast(weights);
    let is_zero: u32x8 = cast(cast::<_, i32x8>(bits).simd_eq(i32x8::ZERO));
    cast(bits | is_zero & u32x8::splat(SIGN))
}

pub(super) fn unpack_one(word: u32) -> (f32, f32) {
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
            let (found, found_sum) = unpack_one(words.to_array()[0]);
            prop_assert!((found - coherence).abs() <= coherence.abs() / 4096.0 + 1e-9);
            prop_assert!((found_sum / sum - 1.0).abs() <= 1.0 / 64.0);
        }
    }

    #[test]
    fn bits_are_laid_out_as_documented() {
        let memory = TcMemory::default();
        memory.set_sums(-1.5, 3.0);
        assert_eq!(memory.get(), 0xf800_2020);
        assert_eq!(memory.sums(), Some((-1.5, 3.0)));
    }
}
