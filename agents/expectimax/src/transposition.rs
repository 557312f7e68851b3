//! The transposition table: values of afterstates that were searched before.
//!
//! Threads share a table without locks, as described by Hyatt and Mann (*A Lock-less Transposition
//! Table Implementation for Parallel Search Chess Engines*, 2002). An entry is two words. The
//! first holds the key XORed with the second. If two threads write an entry at the same time and
//! each of its words is of another thread, the entry does not match any position.

use bytemuck::Zeroable;
use runner_core::{Afterstate, prefetch};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Number of entries of a bucket: a position can be in any entry of its bucket.
const WAYS: usize = 4;

/// Size of a bucket in bytes: one cache line.
const BUCKET_BYTES: usize = size_of::<[Entry; WAYS]>();

/// A table of buckets, each a cache line. The allocation is aligned for an entry only, because the
/// system then provides its memory on first use: one with the alignment of a bucket would be
/// filled with zeros at once.
#[derive(Debug)]
pub struct TranspositionTable {
    entries: Box<[Entry]>,
    /// Number of entries before the first bucket, which begins a cache line.
    skipped: usize,
    /// Number of times that the table was cleared, modulo 2^16. Entries of other generations count
    /// as empty: to write zeros into all entries took longer than a search of four plies.
    generation: u16,
}

/// An entry; all bits are zero if it is empty.
#[derive(Debug, Default, Zeroable)]
struct Entry {
    /// The key of the position, XORed with `data`.
    key: AtomicU64,
    /// A packed [`EntryData`].
    data: AtomicU64,
}

#[derive(Clone, Copy, PartialEq, Debug)]
struct EntryData {
    value: f32,
    /// Search depth, at least 1.
    plies: u8,
    /// Number of the search that stored the entry, modulo 2^8.
    age: u8,
}

impl EntryData {
    /// Packs the data into a word: from bit 0, the value (32 bits), the plies (8), the age (8) and
    /// the generation of the table (16).
    fn pack(self, generation: u16) -> u64 {
        let Self { value, plies, age } = self;
        let depth_and_age = u64::from(plies) << 32 | u64::from(age) << 40;
        u64::from(value.to_bits()) | depth_and_age | u64::from(generation) << 48
    }

    /// Unpacks a word. Returns `None` if the entry is empty or of another generation.
    fn unpack(word: u64, generation: u16) -> Option<Self> {
        let (plies, age) = ((word >> 32) as u8, (word >> 40) as u8);
        let is_entry = plies > 0 && (word >> 48) as u16 == generation;
        is_entry.then_some(Self { value: f32::from_bits(word as u32), plies, age })
    }
}

impl TranspositionTable {
    /// Allocates a table with at least one bucket, and otherwise at most this many bytes. Returns
    /// `None` if the memory cannot be allocated.
    pub fn new(bytes: usize) -> Option<Self> {
        let max_buckets = (bytes / BUCKET_BYTES).max(1);
        // A power of two of buckets, and the entries before the first one.
        let count = (WAYS << max_buckets.ilog2()) + WAYS - 1;
        let entries: Box<[Entry]> = bytemuck::allocation::try_zeroed_slice_box(count).ok()?;
        let skipped = entries.as_ptr().addr().wrapping_neg() % BUCKET_BYTES / size_of::<Entry>();
        Some(Self { entries, skipped, generation: 0 })
    }

    fn buckets(&self) -> &[[Entry; WAYS]] {
        self.entries[self.skipped..].as_chunks().0
    }

    /// Returns the bucket and the key of a position. The key of a position of up to 64 bits
    /// is unique; larger positions collide with probability 2^-64.
    #[inline(always)]
    fn bucket(&self, position: Afterstate) -> (&[Entry; WAYS], u64) {
        const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
        let key = position.lo ^ position.hi.wrapping_mul(ODD).rotate_left(29).wrapping_mul(ODD);
        let hash = (key ^ key >> 32).wrapping_mul(ODD);
        // The number of buckets is a power of two.
        let number = (hash >> 20) as usize & (self.buckets().len() - 1);
        (&self.buckets()[number], key)
    }

    #[inline(always)]
    pub fn prefetch(&self, position: Afterstate) {
        prefetch(self.bucket(position).0);
    }

    /// Returns the value of a position at this depth.
    #[inline]
    pub fn get(&self, position: Afterstate, plies: u8) -> Option<f32> {
        let (bucket, key) = self.bucket(position);
        for entry in bucket {
            let word = entry.data.load(Relaxed);
            if entry.key.load(Relaxed) ^ word != key {
                continue;
            }
            if let Some(found) = EntryData::unpack(word, self.generation)
                && found.plies == plies
            {
                return Some(found.value);
            }
        }
        None
    }

    /// Stores a value. It replaces the entry with an equal position and depth, otherwise an
    /// empty entry, otherwise the oldest one, and among equally old ones the shallowest.
    #[inline]
    pub fn insert(&self, position: Afterstate, plies: u8, value: f32, age: u8) {
        let (bucket, key) = self.bucket(position);
        // The entry with the least cost is replaced.
        let mut replaced = &bucket[0];
        let mut least_cost = u32::MAX;
        for entry in bucket {
            let word = entry.data.load(Relaxed);
            let cost = match EntryData::unpack(word, self.generation) {
                Some(found) if entry.key.load(Relaxed) ^ word == key && found.plies == plies => 0,
                None => 1,
                Some(found) => {
                    let youth = 255 - age.wrapping_sub(found.age);
                    2 + (u32::from(youth) << 8 | u32::from(found.plies))
                }
            };
            if cost < least_cost {
                (replaced, least_cost) = (entry, cost);
            }
        }
        let word = EntryData { value, plies, age }.pack(self.generation);
        replaced.data.store(word, Relaxed);
        replaced.key.store(key ^ word, Relaxed);
    }

    pub fn clear(&mut self) {
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 {
            self.entries.fill_with(Entry::default);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(k: u64) -> Afterstate {
        Afterstate::new(k, k << 3)
    }

    #[test]
    fn an_entry_matches_its_own_depth_only() {
        let mut table = TranspositionTable::new(1 << 16).unwrap();
        assert_eq!(table.get(position(0), 2), None, "the table is empty");
        table.insert(position(5), 3, -1.5, 0);
        assert_eq!(table.get(position(5), 3), Some(-1.5));
        assert_eq!(table.get(position(5), 2), None);
        assert_eq!(table.get(position(6), 3), None);
        table.insert(position(5), 3, 3.0, 0);
        assert_eq!(table.get(position(5), 3), Some(3.0));
        table.clear();
        assert_eq!(table.get(position(5), 3), None);
    }

    #[test]
    fn entries_before_a_clear_are_empty_however_often_the_table_is_cleared() {
        let mut table = TranspositionTable::new(1).unwrap();
        for k in 0..4 {
            table.insert(position(k), 3, 0.0, 1);
        }
        table.clear();
        // Without `clear`, the entries above would be kept: they are as old, and deeper.
        for k in 4..8 {
            table.insert(position(k), 2, k as f32, 1);
        }
        assert!((4..8).all(|k| table.get(position(k), 2) == Some(k as f32)));
        for _ in 0..=u16::MAX {
            table.clear();
            assert_eq!(table.get(position(7), 2), None);
        }
    }

    #[test]
    fn zero_is_a_valid_position_and_value() {
        let table = TranspositionTable::new(1 << 16).unwrap();
        table.insert(position(0), 2, 0.0, 0);
        assert_eq!(table.get(position(0), 2), Some(0.0));
    }

    #[test]
    fn a_full_bucket_replaces_the_oldest_entry_then_the_shallowest() {
        let table = TranspositionTable::new(1).unwrap();
        assert_eq!(table.buckets().len(), 1);
        for k in 0..4 {
            let depth = if k == 2 { 2 } else { 3 };
            table.insert(position(k), depth, k as f32, u8::from(k != 1));
        }
        table.insert(position(4), 3, 4.0, 1);
        assert_eq!(table.get(position(1), 3), None, "it was the oldest");
        table.insert(position(5), 3, 5.0, 1);
        assert_eq!(table.get(position(2), 2), None, "it was the shallowest");
        for k in [0, 3, 4, 5] {
            assert_eq!(table.get(position(k), 3), Some(k as f32));
        }
        // Ages wrap around.
        for k in 6..10 {
            table.insert(position(k), 2, k as f32, 255);
        }
        table.insert(position(10), 2, 10.0, 0);
        assert_eq!((6..10).filter(|&k| table.get(position(k), 2).is_some()).count(), 3);
    }

    #[test]
    fn concurrent_writes_never_yield_a_value_that_was_not_written() {
        let table = TranspositionTable::new(BUCKET_BYTES).unwrap();
        std::thread::scope(|scope| {
            for thread in 0..2u64 {
                let table = &table;
                scope.spawn(move || {
                    for k in 0..20_000u64 {
                        let position = position(k % 8);
                        table.insert(position, 2, (k % 8 * 2 + thread) as f32, 0);
                        if let Some(value) = table.get(position, 2) {
                            assert_eq!(value as u64 / 2, k % 8);
                        }
                    }
                });
            }
        });
    }
}
