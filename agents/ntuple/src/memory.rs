//! The memory of large tables: huge pages, zeroed by the system when they are
//! first touched, read ahead of need.

use crate::network::{Lookup, Place};
use memmap2::{MmapMut, MmapRaw};
use runner_core::prefetch;
use std::io;
use std::marker::PhantomData;
use std::mem::{align_of, size_of};
use std::ops::Deref;

/// What may be made of zeroed memory.
///
/// # Safety
///
/// All bytes zero must be a valid value, which needs no drop, and every shared
/// access to it must be sound: it is atomics and nothing else.
pub unsafe trait Zeroed: Sync + Send {}

/// A table of records that are zero at first. It takes memory as it is used.
#[derive(Debug)]
pub struct Region<T> {
    /// Raw: a reference to its bytes would say that nobody changes them.
    memory: MmapRaw,
    length: usize,
    records: PhantomData<T>,
}

impl<T: Zeroed> Region<T> {
    /// So many records.
    pub fn new(length: usize) -> io::Result<Self> {
        assert!(align_of::<T>() <= 64, "pages are aligned to more than a record is");
        let bytes = length.checked_mul(size_of::<T>()).ok_or(io::ErrorKind::OutOfMemory)?;
        let memory = MmapMut::map_anon(bytes.max(1))?;
        // Random reads of many small pages would spend their time in page tables. A
        // system that has none of the large goes on with the small. Miri knows neither.
        #[cfg(all(target_os = "linux", not(miri)))]
        let _ = memory.advise(memmap2::Advice::HugePage);
        Ok(Self { memory: memory.into(), length, records: PhantomData })
    }
}

impl<T: Zeroed> Deref for Region<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        // SAFETY: the memory is as long, was zeroed by the system, and is aligned to
        // a page; `Zeroed` says that such bytes are records, and that they may be
        // shared.
        unsafe { std::slice::from_raw_parts(self.memory.as_mut_ptr().cast(), self.length) }
    }
}

/// The records of one network, to be had by place.
#[derive(Debug)]
pub struct Cells<'a, T>(&'a [T]);

impl<T> Clone for Cells<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Cells<'_, T> {}

impl<'a, T> Cells<'a, T> {
    /// The records, as many as there are places of this lookup.
    ///
    /// # Panics
    ///
    /// If there are fewer.
    ///
    /// # Safety
    ///
    /// Only places that this lookup made may ever be asked for.
    pub unsafe fn new(records: &'a [T], lookup: &Lookup) -> Self {
        assert!(records.len() >= lookup.weights());
        Self(records)
    }

    /// The record at a place.
    #[inline(always)]
    pub fn at(self, place: Place) -> &'a T {
        debug_assert!(place.index() < self.0.len());
        // SAFETY: whoever made this promised that the place is one of its lookup,
        // whose places are all below the number of records.
        unsafe { self.0.get_unchecked(place.index()) }
    }

    /// Asks for the memory at a place to be fetched.
    #[inline(always)]
    pub fn prefetch(self, place: Place) {
        prefetch(self.0.as_ptr().wrapping_add(place.index()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    // SAFETY: it is one atomic.
    unsafe impl Zeroed for AtomicU64 {}

    #[test]
    fn a_region_is_zero_and_keeps_what_is_written() {
        let region = Region::<AtomicU64>::new(3 << 18).unwrap();
        assert!(region.iter().all(|word| word.load(Relaxed) == 0));
        region[(3 << 18) - 1].store(7, Relaxed);
        assert_eq!(region.iter().map(|word| word.load(Relaxed)).sum::<u64>(), 7);
        assert!(Region::<AtomicU64>::new(usize::MAX).is_err());
        assert!(Region::<AtomicU64>::new(0).unwrap().is_empty());
    }
}
