//! Weights, and the records in which a weight lies beside the learning state of its rule.

use crate::index::WeightIndex;
use crate::memory::{Entries, LANES, Zeroed};
use bytemuck::Zeroable;
use std::sync::atomic::{AtomicI16, AtomicU32, Ordering::Relaxed};
use wide::{f32x8, i16x8, i32x8};

/// A 32-bit float that threads share. Of two simultaneous updates one may be lost; no other
/// interference is possible.
#[derive(Debug, Default, Zeroable)]
#[repr(transparent)]
pub struct Weight(AtomicU32);

impl Weight {
    #[inline(always)]
    pub fn get(&self) -> f32 {
        f32::from_bits(self.0.load(Relaxed))
    }

    #[inline(always)]
    pub fn set(&self, value: f32) {
        self.0.store(value.to_bits(), Relaxed);
    }

    /// Stores a value that training has found. The weight is touched from now on.
    #[inline(always)]
    pub fn touch(&self, value: f32) {
        self.set(touched(value));
    }

    /// Returns true if all bits are zero, as before training.
    #[inline(always)]
    pub fn is_untouched(&self) -> bool {
        self.0.load(Relaxed) == 0
    }
}

/// Returns the value, or -0 for 0: a weight is untouched if all bits are zero, see [`Promotion`].
///
/// [`Promotion`]: crate::Promotion
#[inline(always)]
pub fn touched(value: f32) -> f32 {
    let bits = value.to_bits();
    f32::from_bits(bits | u32::from(bits == 0) << 31)
}

/// The learning state of a weight: what a learning rule stores for each weight, such as the sums E
/// and A of temporal coherence. In model files, it is a sequence of 32-bit words.
pub trait Memory: Zeroed + Default + 'static {
    const NAME: &'static str;

    const WORDS: usize;

    fn word(&self, number: usize) -> u32;

    fn set_word(&self, number: usize, value: u32);

    /// Returns true if a word of a model file is valid.
    fn allows(word: u32) -> bool {
        f32::from_bits(word).is_finite()
    }

    /// Restores the state of a weight that was never updated. A word that is right already is not
    /// written, so that pages which nothing has used yet stay unused.
    fn reset(&self) {
        let fresh = Self::default();
        for number in 0..Self::WORDS {
            let word = fresh.word(number);
            if self.word(number) != word {
                self.set_word(number, word);
            }
        }
    }

    /// Returns the sum of errors and the sum of absolute errors, if the rule keeps them.
    fn sums(&self) -> Option<(f32, f32)> {
        None
    }

    fn set_sums(&self, _sum: f32, _absolute_sum: f32) {}
}

impl Memory for () {
    const NAME: &'static str = "none";
    const WORDS: usize = 0;

    fn word(&self, _: usize) -> u32 {
        0
    }

    fn set_word(&self, _: usize, _: u32) {}
}

/// A weight and its learning state, in one cache line. The choice of a move reads the weight, so
/// the update finds both in the cache.
#[derive(Debug, Default, Zeroable)]
#[repr(C)]
pub struct Record<M> {
    pub weight: Weight,
    pub memory: M,
}

#[inline(always)]
pub fn sum<M>(records: Entries<'_, Record<M>>, indices: &[WeightIndex]) -> f32 {
    sum_of(records, indices, Weight::get)
}

/// Returns the sum of `value` of the weights with these indices.
#[inline(always)]
pub fn sum_of<M>(
    records: Entries<'_, Record<M>>,
    indices: &[WeightIndex],
    mut value: impl FnMut(&Weight) -> f32,
) -> f32 {
    // Independent partial sums: the compiler must not reorder float additions, so in one sum
    // each addition would wait for the previous one.
    let mut sums = [0.0; LANES];
    let (eights, rest) = indices.as_chunks::<LANES>();
    for eight in eights {
        for (sum, record) in sums.iter_mut().zip(records.eight(eight)) {
            *sum += value(&record.weight);
        }
    }
    for (sum, &index) in sums.iter_mut().zip(rest) {
        *sum += value(&records.at(index).weight);
    }
    total(sums)
}

/// Returns the sum of weights that are numbers of steps of the size `step`, in the same order as
/// [`sum`].
#[inline(always)]
pub fn sum_of_steps(weights: Entries<'_, AtomicI16>, step: f32, indices: &[WeightIndex]) -> f32 {
    let value = |steps: [i16; LANES]| {
        f32x8::from_i32x8(i32x8::from_i16x8(i16x8::from(steps))) * f32x8::splat(step)
    };
    let (eights, rest) = indices.as_chunks::<LANES>();
    let mut sums = f32x8::ZERO;
    for eight in eights {
        sums += value(weights.eight(eight).map(|steps| steps.load(Relaxed)));
    }
    let mut last = [0; LANES];
    for (steps, &index) in last.iter_mut().zip(rest) {
        *steps = weights.at(index).load(Relaxed);
    }
    total((sums + value(last)).to_array())
}

#[inline(always)]
fn total([a, b, c, d, e, f, g, h]: [f32; LANES]) -> f32 {
    ((a + b) + (c + d)) + ((e + f) + (g + h))
}
