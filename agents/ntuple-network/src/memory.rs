//! Large arrays of weights: zeroed on demand by the system, on huge pages, and prefetched.

use crate::index::WeightIndex;
use bytemuck::{Zeroable, cast};
use memmap2::{MmapMut, MmapRaw};
use runner_core::{prefetch, prefetch_to_second_level};
use std::io;
use std::marker::PhantomData;
use std::mem::{align_of, size_of};
use std::ops::Deref;
use wide::{i32x8, u32x8};

/// A type for which zeroed memory is a valid value, and which threads share: atomics.
pub trait Zeroed: Zeroable + Sync + Send {}

impl<T: Zeroable + Sync + Send> Zeroed for T {}

const HUGE_PAGE_BYTES: usize = 2 << 20;

/// An array whose entries are zero at first. The system provides its pages on first use.
#[derive(Debug)]
pub struct Region<T> {
    /// Raw, because a reference to the bytes would promise that no thread changes them.
    memory: MmapRaw,
    /// Offset of the first entry in bytes, so that it lies at the start of a huge page.
    start: usize,
    length: usize,
    entries: PhantomData<T>,
}

impl<T: Zeroed> Region<T> {
    pub fn new(length: usize) -> io::Result<Self> {
        assert!(align_of::<T>() <= 64, "the alignment of an entry must not exceed a cache line");
        let bytes = length
            .checked_mul(size_of::<T>())
            .and_then(|bytes| bytes.checked_add(HUGE_PAGE_BYTES))
            .ok_or(io::ErrorKind::OutOfMemory)?;
        let memory = MmapMut::map_anon(bytes)?;
        let start = memory.as_ptr().align_offset(HUGE_PAGE_BYTES);
        // Random reads on small pages spend much of their time in page table walks. A system
        // without huge pages ignores the advice; Miri does not know it.
        #[cfg(all(target_os = "linux", not(miri)))]
        let _ = memory.advise(memmap2::Advice::HugePage);
        Ok(Self { memory: memory.into(), start, length, entries: PhantomData })
    }
}

impl<T: Zeroed> Deref for Region<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        // SAFETY: from `start` on, which is a multiple of 64, the page-aligned memory holds
        // `length` entries, and it was zeroed by the system; all bytes zero are a valid
        // `Zeroable`, and `T: Sync` may be shared.
        unsafe {
            let first = self.memory.as_mut_ptr().add(self.start);
            std::slice::from_raw_parts(first.cast(), self.length)
        }
    }
}

/// Number of weights that are processed together, in the order of a lookup's indices.
pub const LANES: usize = 8;

/// A slice whose entries are accessed by [`WeightIndex`].
#[derive(Debug)]
pub struct Entries<'a, T>(&'a [T]);

impl<T> Clone for Entries<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Entries<'_, T> {}

impl<'a, T> Entries<'a, T> {
    /// Wraps a slice with an entry for each weight of a network.
    pub fn new(entries: &'a [T]) -> Self {
        Self(entries)
    }

    pub fn all(self) -> &'a [T] {
        self.0
    }

    /// Returns the entry of a weight.
    ///
    /// # Panics
    ///
    /// If there is no entry for it, because the index is of another network's lookup.
    #[inline(always)]
    pub fn at(self, index: WeightIndex) -> &'a T {
        &self.0[index.index()]
    }

    /// Returns the entries of eight weights, with one check of their indices.
    ///
    /// # Panics
    ///
    /// As [`at`](Self::at).
    #[inline(always)]
    pub fn eight(self, indices: &[WeightIndex; LANES]) -> [&'a T; LANES] {
        let numbers = u32x8::from(indices.map(WeightIndex::number));
        let last = self.0.len().saturating_sub(1).min(u32::MAX as usize) as u32;
        let limited: i32x8 = cast(numbers.min(u32x8::splat(last)));
        let is_within = limited.simd_eq(cast::<_, i32x8>(numbers)).all();
        assert!(is_within && !self.0.is_empty(), "an index of another network");
        // SAFETY: no index is above that of the last entry.
        indices.map(|index| unsafe { self.0.get_unchecked(index.index()) })
    }

    #[inline(always)]
    pub fn prefetch(self, index: WeightIndex) {
        prefetch(self.0.as_ptr().wrapping_add(index.index()));
    }

    #[inline(always)]
    pub fn prefetch_to_second_level(self, index: WeightIndex) {
        prefetch_to_second_level(self.0.as_ptr().wrapping_add(index.index()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    #[test]
    fn a_region_is_zero_at_first_and_keeps_what_is_stored() {
        let region = Region::<AtomicU64>::new(3 << 18).unwrap();
        assert!(region.iter().all(|word| word.load(Relaxed) == 0));
        region[(3 << 18) - 1].store(7, Relaxed);
        assert_eq!(region.iter().map(|word| word.load(Relaxed)).sum::<u64>(), 7);
        assert!(Region::<AtomicU64>::new(usize::MAX).is_err());
        assert!(Region::<AtomicU64>::new(0).unwrap().is_empty());
    }

    #[test]
    #[should_panic(expected = "index out of bounds")]
    fn an_index_of_another_network_is_refused() {
        Entries::new(&[5u8, 6, 7]).at(WeightIndex::new(3));
    }

    #[test]
    #[should_panic(expected = "an index of another network")]
    fn one_of_eight_indices_of_another_network_is_refused() {
        Entries::new(&[5u8, 6, 7]).eight(&[0, 1, 2, 0, 1, 3, 0, 1].map(WeightIndex::new));
    }
}
