//! A hash table that is only ever added to: nothing but keys and what they stand
//! for, in buckets of a cache line or two, of which a search reads one mostly.

use crate::Stop;
use crate::key::Key;
use crate::memory::{Memory, Share, room};
use std::hint::select_unpredictable;

/// Keys without anything that they stand for.
pub type Set<'m, K> = Table<'m, K, (), 8>;
/// Keys that stand for something.
pub type Map<'m, K, T> = Table<'m, K, T, 4>;

/// The largest part of the slots that are taken: five of eight, so that few
/// buckets are full.
const FULL: (usize, usize) = (5, 8);

/// What is known of keys, in buckets of `N`.
#[derive(Debug)]
pub struct Table<'m, K, T, const N: usize> {
    buckets: Vec<Bucket<K, T, N>>,
    len: usize,
    share: Share<'m>,
    memory: &'m Memory,
}

/// Keys come first, and empty slots after them. A key is in the bucket that its
/// hash says, or if that is full in the next that is not.
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

    /// The first slot of the bucket that has this key, or `N`. There is no branch on
    /// it, which nothing could predict.
    #[inline(always)]
    fn find(&self, key: K) -> usize {
        (0..N).rev().fold(N, |at, slot| select_unpredictable(self.keys[slot] == key, slot, at))
    }
}

impl<'m, K: Key, T: Copy + Default, const N: usize> Table<'m, K, T, N> {
    /// An empty table with room for so many keys.
    pub fn new(keys: usize, memory: &'m Memory) -> Result<Self, Stop> {
        let mut table = Self { buckets: Vec::new(), len: 0, share: memory.take(0)?, memory };
        if keys > 0 {
            let slots = keys.saturating_mul(FULL.1) / FULL.0 + 1;
            (table.buckets, table.share) = Self::buckets(slots.div_ceil(N), memory)?;
        }
        Ok(table)
    }

    fn buckets(
        count: usize,
        memory: &'m Memory,
    ) -> Result<(Vec<Bucket<K, T, N>>, Share<'m>), Stop> {
        let share = memory.take(count.saturating_mul(size_of::<Bucket<K, T, N>>()))?;
        let mut buckets = room(count)?;
        buckets.resize(count, Bucket::empty());
        Ok((buckets, share))
    }

    /// How many keys there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// The bucket that a key's hash says. The upper half of the hash does, so that
    /// tables of all sizes have their keys in one order; the lower says in which of
    /// many tables the key is.
    #[inline(always)]
    fn first_bucket(buckets: &[Bucket<K, T, N>], key: K) -> usize {
        (((key.hash() >> 32) * buckets.len() as u64) >> 32) as usize
    }

    /// The bucket and slot in which a key is, or else the empty ones in which it
    /// would be. One slot at least is empty.
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

    /// Adds a key if it is not there; says whether it was not.
    #[inline]
    pub fn insert(&mut self, key: K, item: T) -> Result<bool, Stop> {
        if self.len * FULL.1 >= self.buckets.len() * N * FULL.0 {
            self.grow()?;
        }
        let (at, slot, is_there) = Self::place(&self.buckets, key);
        if !is_there {
            self.buckets[at].keys[slot] = key;
            self.buckets[at].items[slot] = item;
            self.len += 1;
        }
        Ok(!is_there)
    }

    /// What a key stands for.
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
    fn grow(&mut self) -> Result<(), Stop> {
        let (mut buckets, share) = Self::buckets(2 * self.buckets.len() + 1, self.memory)?;
        for (key, item) in self.entries() {
            let (at, slot, _) = Self::place(&buckets, key);
            buckets[at].keys[slot] = key;
            buckets[at].items[slot] = item;
        }
        (self.buckets, self.share) = (buckets, share);
        Ok(())
    }

    /// All keys and what they stand for.
    pub fn entries(&self) -> impl Iterator<Item = (K, T)> + '_ {
        let all = self.buckets.iter().flat_map(|bucket| bucket.keys.into_iter().zip(bucket.items));
        all.filter(|&(key, _)| key != K::NONE)
    }

    /// All keys, in an order in which they are added to another table the fastest.
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

    fn does_what_a_map_does<const N: usize>(keys: u64, room: usize) {
        let memory = Memory::new(1 << 30);
        let mut table = Table::<u64, u64, N>::new(room, &memory).unwrap();
        let mut map = HashMap::new();
        let mut random = Random::from_word(keys);
        for item in 0..3 * keys {
            let key = u64::from(random.below(keys as u32));
            assert_eq!(table.get(key), map.get(&key).copied());
            let is_new = !map.contains_key(&key);
            assert_eq!(table.insert(key, item).unwrap(), is_new);
            map.entry(key).or_insert(item);
        }
        assert_eq!(table.len(), map.len());
        assert_eq!(table.keys().count(), map.len());
        assert!(table.entries().all(|(key, item)| map[&key] == item));
    }

    #[test]
    fn a_table_is_a_map() {
        for (keys, room) in [(1, 0), (10, 0), (1000, 0), (100_000, 0), (1000, 1000), (1000, 10)] {
            does_what_a_map_does::<4>(keys, room);
            does_what_a_map_does::<8>(keys, room);
        }
    }

    #[test]
    fn a_table_that_may_not_grow_says_how_much_it_would_take() {
        let memory = Memory::new(10_000);
        let mut table = Table::<u64, (), 8>::new(0, &memory).unwrap();
        let stop = (0..100_000).find_map(|key| table.insert(key, ()).err()).unwrap();
        assert!(matches!(stop, Stop::Memory { needed: 10_001..40_000 }), "{stop:?}");
        assert!(table.len() > 100, "it has grown as far as it may");
    }
}
