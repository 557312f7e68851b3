//! An insert-only hash table: keys and their items in buckets of one or two cache
//! lines. Most lookups read one bucket.

use crate::error::Abort;
use crate::key::Key;
use crate::memory::{MemoryBudget, Reservation, try_with_capacity};
use std::hint::select_unpredictable;

pub type Set<'m, K> = HashTable<'m, K, (), 8>;
pub type Map<'m, K, T> = HashTable<'m, K, T, 4>;

/// Maximum load factor as a fraction: at 5/8, few buckets are full.
const MAX_LOAD: (usize, usize) = (5, 8);

/// A hash table with buckets of `N` slots.
#[derive(Debug)]
pub struct HashTable<'m, K, T, const N: usize> {
    buckets: Vec<Bucket<K, T, N>>,
    len: usize,
    reservation: Reservation<'m>,
    budget: &'m MemoryBudget,
}

/// A bucket. Its slots are filled from the first on. A key is in the bucket that its
/// hash selects or, if that is full, in the next bucket that is not.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Bucket<K, T, const N: usize> {
    keys: [K; N],
    items: [T; N],
}

impl<K: Key, T: Copy + Default, const N: usize> Bucket<K, T, N> {
    fn empty() -> Self {
        Self { keys: [K::NONE; N], items: [T::default(); N] }
    }

    /// Returns the first slot with this key, or `N`. It does not branch on the key,
    /// because such a branch is unpredictable.
    #[inline(always)]
    fn find(&self, key: K) -> usize {
        (0..N).rev().fold(N, |at, slot| select_unpredictable(self.keys[slot] == key, slot, at))
    }
}

impl<'m, K: Key, T: Copy + Default, const N: usize> HashTable<'m, K, T, N> {
    pub fn new(keys: usize, budget: &'m MemoryBudget) -> Result<Self, Abort> {
        let reservation = budget.reserve(0)?;
        let mut table = Self { buckets: Vec::new(), len: 0, reservation, budget };
        if keys > 0 {
            let slots = keys.saturating_mul(MAX_LOAD.1) / MAX_LOAD.0 + 1;
            (table.buckets, table.reservation) = Self::buckets(slots.div_ceil(N), budget)?;
        }
        Ok(table)
    }

    fn buckets(
        count: usize,
        budget: &'m MemoryBudget,
    ) -> Result<(Vec<Bucket<K, T, N>>, Reservation<'m>), Abort> {
        let bytes = count.saturating_mul(size_of::<Bucket<K, T, N>>());
        let reservation = budget.reserve(bytes)?;
        let mut buckets = try_with_capacity(count)?;
        buckets.resize(count, Bucket::empty());
        Ok((buckets, reservation))
    }

    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns the bucket that a key's hash selects.
    ///
    /// The upper half of the hash selects the bucket, so that tables of all sizes hold
    /// their keys in the same order. The lower half selects the part (and so the table).
    #[inline(always)]
    fn first_bucket(buckets: &[Bucket<K, T, N>], key: K) -> usize {
        (((key.hash() >> 32) * buckets.len() as u64) >> 32) as usize
    }

    /// Returns the bucket and slot of a key and whether the key is there; if it is not,
    /// the slot is the empty one to insert it into. At least one slot is always empty.
    #[inline(always)]
    fn place(buckets: &[Bucket<K, T, N>], key: K) -> (usize, usize, bool) {
        let mut at = Self::first_bucket(buckets, key);
        loop {
            let bucket = &buckets[at];
            let slot = bucket.find(key);
            if slot < N {
                return (at, slot, true);
            }
            let slot = bucket.find(K::NONE);
            if slot < N {
                return (at, slot, false);
            }
            at = if at + 1 == buckets.len() { 0 } else { at + 1 };
        }
    }

    /// Inserts a key unless it is present.
    #[inline]
    pub fn insert(&mut self, key: K, item: T) -> Result<(), Abort> {
        if self.len * MAX_LOAD.1 >= self.buckets.len() * N * MAX_LOAD.0 {
            self.grow()?;
        }
        let (at, slot, is_there) = Self::place(&self.buckets, key);
        if !is_there {
            self.buckets[at].keys[slot] = key;
            self.buckets[at].items[slot] = item;
            self.len += 1;
        }
        Ok(())
    }

    #[inline(always)]
    pub fn get(&self, key: K) -> Option<T> {
        if self.buckets.is_empty() {
            return None;
        }
        let (at, slot, is_there) = Self::place(&self.buckets, key);
        is_there.then(|| self.buckets[at].items[slot])
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) -> Result<(), Abort> {
        let (mut buckets, reservation) = Self::buckets(2 * self.buckets.len() + 1, self.budget)?;
        for (key, item) in self.entries() {
            let (at, slot, _) = Self::place(&buckets, key);
            buckets[at].keys[slot] = key;
            buckets[at].items[slot] = item;
        }
        (self.buckets, self.reservation) = (buckets, reservation);
        Ok(())
    }

    pub fn entries(&self) -> impl Iterator<Item = (K, T)> + '_ {
        let all = self.buckets.iter().flat_map(|bucket| bucket.keys.into_iter().zip(bucket.items));
        all.filter(|&(key, _)| key != K::NONE)
    }

    /// Returns all keys, in the order in which inserting them into another table is fastest.
    pub fn keys(&self) -> impl Iterator<Item = K> + '_ {
        let all = self.buckets.iter().flat_map(|bucket| bucket.keys);
        all.filter(|&key| key != K::NONE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use runner_core::Random;
    use std::collections::HashMap;

    fn agrees_with_a_hash_map<const N: usize>(keys: u64, capacity: usize) {
        let budget = MemoryBudget::new(1 << 30);
        let mut table = HashTable::<u64, u64, N>::new(capacity, &budget).unwrap();
        let mut map = HashMap::new();
        let mut random = Random::from_word(keys);
        for item in 0..3 * keys {
            let key = u64::from(random.below(keys as u32));
            assert_eq!(table.get(key), map.get(&key).copied());
            table.insert(key, item).unwrap();
            map.entry(key).or_insert(item);
            assert_eq!(table.len(), map.len());
        }
        assert_eq!(table.keys().count(), map.len());
        assert!(table.entries().all(|(key, item)| map[&key] == item));
    }

    #[test]
    fn table_agrees_with_a_hash_map() {
        for (keys, capacity) in [(1, 0), (10, 0), (1000, 0), (100_000, 0), (1000, 1000), (1000, 10)]
        {
            agrees_with_a_hash_map::<4>(keys, capacity);
            agrees_with_a_hash_map::<8>(keys, capacity);
        }
    }

    #[test]
    fn table_that_exceeds_the_limit_reports_the_memory_it_needs() {
        let budget = MemoryBudget::new(10_000);
        let mut table = HashTable::<u64, (), 8>::new(0, &budget).unwrap();
        let abort = (0..100_000).find_map(|key| table.insert(key, ()).err()).unwrap();
        assert!(matches!(abort, Abort::Memory { needed: 10_001..40_000 }), "{abort:?}");
        assert!(table.len() > 100, "the table did not use the memory it had");
    }
}
