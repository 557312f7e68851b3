//! What was found out about positions, kept for when they come up again.
//!
//! Threads share a table without locks: an entry is two words, of which the first is
//! mixed with the second, so that halves of two entries are taken for neither.

use bytemuck::Zeroable;
use runner_core::{Afterstate, prefetch};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// How many positions share a cache line, in which each may lie anywhere.
const WAYS: usize = 4;

/// The bytes of one cache line.
const LINE: usize = size_of::<Bucket>();

/// A table of what afterstates are worth.
#[derive(Debug)]
pub struct Table {
    buckets: Box<[Bucket]>,
}

#[derive(Debug, Default, Zeroable)]
#[repr(align(64))]
struct Bucket {
    entries: [Entry; WAYS],
}

/// All zero where nothing is known.
#[derive(Debug, Default, Zeroable)]
struct Entry {
    key: AtomicU64,
    found: AtomicU64,
}

/// How thoroughly a position was examined. What is kept serves a search that wants
/// the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effort {
    /// So many plies deep.
    pub plies: u8,
    /// In so many of them, from the first on, rare outcomes counted too.
    pub full: u8,
}

/// What was found out of a position's worth.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Worth {
    /// It is this.
    Is(f32),
    /// It is no more than this: more was not wanted.
    AtMost(f32),
}

/// What a table holds of a position.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Found {
    worth: Worth,
    effort: Effort,
    age: u8,
}

impl Found {
    fn pack(self) -> u64 {
        // The second byte from above says that there is something, and what it is.
        let Self { worth, effort, age } = self;
        let (kind, number) = match worth {
            Worth::Is(worth) => (1, worth),
            Worth::AtMost(bound) => (2, bound),
        };
        let low = u64::from(number.to_bits());
        let bytes = [effort.plies, effort.full, kind, age].map(u64::from);
        bytes.into_iter().enumerate().fold(low, |word, (k, byte)| word | byte << (32 + 8 * k))
    }

    fn unpack(word: u64) -> Option<Self> {
        let byte = |k: u32| (word >> (32 + 8 * k)) as u8;
        let number = f32::from_bits(word as u32);
        let worth = match byte(2) {
            0 => return None,
            1 => Worth::Is(number),
            _ => Worth::AtMost(number),
        };
        Some(Self { worth, effort: Effort { plies: byte(0), full: byte(1) }, age: byte(3) })
    }
}

impl Table {
    /// A table of at most so many bytes, and of one cache line at least; `None` where
    /// there is not so much memory.
    pub fn new(bytes: usize) -> Option<Self> {
        let lines = (bytes / LINE).max(1);
        let lines = 1 << lines.ilog2();
        let buckets = bytemuck::allocation::try_zeroed_slice_box(lines).ok()?;
        Some(Self { buckets })
    }

    /// Its size.
    pub fn bytes(&self) -> usize {
        self.buckets.len() * LINE
    }

    /// Where a position lies, and by what it is known there. The board of a small game
    /// is its own key; of a larger one two boards can be taken for one another, once
    /// in 2^64.
    #[inline(always)]
    fn place(&self, position: Afterstate) -> (&Bucket, u64) {
        const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
        let key = position.lo ^ position.hi.wrapping_mul(ODD).rotate_left(29).wrapping_mul(ODD);
        let hash = (key ^ key >> 32).wrapping_mul(ODD);
        // The number of buckets is a power of two.
        let number = (hash >> 20) as usize & (self.buckets.len() - 1);
        (&self.buckets[number], key)
    }

    /// Asks for what is known of a position to be fetched.
    #[inline(always)]
    pub fn prefetch(&self, position: Afterstate) {
        prefetch(self.place(position).0);
    }

    /// What the position is worth, if that was found out with this effort, or, if
    /// `deeper` will do, with more.
    #[inline]
    pub fn get(&self, position: Afterstate, effort: Effort, deeper: bool) -> Option<Worth> {
        let (bucket, key) = self.place(position);
        for entry in &bucket.entries {
            let word = entry.found.load(Relaxed);
            if entry.key.load(Relaxed) ^ word != key {
                continue;
            }
            let Some(found) = Found::unpack(word) else { continue };
            let more = found.effort.plies >= effort.plies && found.effort.full >= effort.full;
            if found.effort == effort || deeper && more {
                return Some(found.worth);
            }
        }
        None
    }

    /// Keeps what was found, in the place of what is known of the position by the same
    /// effort, else of what is oldest, else of what cost least.
    #[inline]
    pub fn set(&self, position: Afterstate, effort: Effort, worth: Worth, age: u8) {
        let (bucket, key) = self.place(position);
        let mut place = &bucket.entries[0];
        let mut least = u32::MAX;
        for entry in &bucket.entries {
            let word = entry.found.load(Relaxed);
            let cost = match Found::unpack(word) {
                Some(found) if entry.key.load(Relaxed) ^ word == key && found.effort == effort => 0,
                None => 1,
                Some(found) => {
                    let young = 255 - age.wrapping_sub(found.age);
                    2 + (u32::from(young) << 8 | u32::from(found.effort.plies))
                }
            };
            if cost < least {
                (place, least) = (entry, cost);
            }
        }
        let word = Found { worth, effort, age }.pack();
        place.found.store(word, Relaxed);
        place.key.store(key ^ word, Relaxed);
    }

    /// Forgets everything.
    pub fn clear(&self) {
        for entry in self.buckets.iter().flat_map(|bucket| &bucket.entries) {
            entry.found.store(0, Relaxed);
            entry.key.store(0, Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Worth::{AtMost, Is};
    use super::*;

    const TWO: Effort = Effort { plies: 2, full: 2 };
    const THREE: Effort = Effort { plies: 3, full: 3 };

    fn position(k: u64) -> Afterstate {
        Afterstate::new(k, k << 3)
    }

    #[test]
    fn what_is_kept_is_found_with_the_same_effort_only() {
        let table = Table::new(1 << 16).unwrap();
        assert_eq!(table.get(position(0), TWO, true), None, "an empty table knows nothing");
        table.set(position(5), THREE, Is(-1.5), 0);
        assert_eq!(table.get(position(5), THREE, false), Some(Is(-1.5)));
        assert_eq!(table.get(position(5), TWO, false), None);
        assert_eq!(table.get(position(5), TWO, true), Some(Is(-1.5)), "deeper will do");
        assert_eq!(table.get(position(6), THREE, true), None);
        let rare = Effort { plies: 3, full: 1 };
        table.set(position(5), rare, Is(2.0), 0);
        assert_eq!(table.get(position(5), THREE, true), Some(Is(-1.5)));
        assert_eq!(table.get(position(5), rare, false), Some(Is(2.0)));
        table.set(position(5), rare, AtMost(3.0), 0);
        assert_eq!(table.get(position(5), rare, false), Some(AtMost(3.0)));
        table.clear();
        assert_eq!(table.get(position(5), THREE, true), None);
    }

    #[test]
    fn zero_is_a_position_and_a_worth_like_others() {
        let table = Table::new(1 << 16).unwrap();
        table.set(position(0), TWO, Is(0.0), 0);
        assert_eq!(table.get(position(0), TWO, false), Some(Is(0.0)));
    }

    #[test]
    fn in_a_full_table_the_oldest_goes_first_and_then_the_cheapest() {
        let table = Table::new(1).unwrap();
        assert_eq!(table.bytes(), LINE);
        for k in 0..4 {
            table.set(
                position(k),
                if k == 2 { TWO } else { THREE },
                Is(k as f32),
                u8::from(k != 1),
            );
        }
        table.set(position(4), THREE, Is(4.0), 1);
        assert_eq!(table.get(position(1), THREE, false), None, "it was the oldest");
        table.set(position(5), THREE, Is(5.0), 1);
        assert_eq!(table.get(position(2), TWO, false), None, "it was the cheapest");
        for k in [0, 3, 4, 5] {
            assert_eq!(table.get(position(k), THREE, false), Some(Is(k as f32)));
        }
        // Ages go round.
        for k in 6..10 {
            table.set(position(k), TWO, Is(k as f32), 255);
        }
        table.set(position(10), TWO, Is(10.0), 0);
        assert_eq!((6..10).filter(|&k| table.get(position(k), TWO, false).is_some()).count(), 3);
    }

    #[test]
    fn threads_that_write_at_once_never_read_what_nobody_wrote() {
        let table = Table::new(LINE).unwrap();
        std::thread::scope(|scope| {
            for thread in 0..2u64 {
                let table = &table;
                scope.spawn(move || {
                    for k in 0..20_000u64 {
                        let position = position(k % 8);
                        table.set(position, TWO, Is((k % 8 * 2 + thread) as f32), 0);
                        if let Some(Is(worth)) = table.get(position, TWO, false) {
                            assert_eq!(worth as u64 / 2, k % 8);
                        }
                    }
                });
            }
        });
    }
}
