//! A hash table that is only ever added to: open addressing, one probe mostly,
//! nothing but keys and what they stand for.

use crate::Stop;
use crate::key::Key;
use crate::memory::{Memory, Share, room};

/// The least number of slots.
const LEAST: usize = 16;

/// What is known of keys.
#[derive(Debug)]
pub struct Table<'m, K, T> {
    /// A power of two of them, of which at least half stand for nothing.
    slots: Vec<(K, T)>,
    len: usize,
    share: Share<'m>,
    memory: &'m Memory,
}

impl<'m, K: Key, T: Copy + Default> Table<'m, K, T> {
    /// An empty table with room for so many keys.
    pub fn new(keys: usize, memory: &'m Memory) -> Result<Self, Stop> {
        let mut table = Self { slots: Vec::new(), len: 0, share: memory.take(0)?, memory };
        if keys > 0 {
            (table.slots, table.share) = Self::slots(2 * keys, memory)?;
        }
        Ok(table)
    }

    fn slots(count: usize, memory: &'m Memory) -> Result<(Vec<(K, T)>, Share<'m>), Stop> {
        let count = count.next_power_of_two().max(LEAST);
        let share = memory.take(count.saturating_mul(size_of::<(K, T)>()))?;
        let mut slots = room(count)?;
        slots.resize(count, (K::NONE, T::default()));
        Ok((slots, share))
    }

    /// How many keys there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Where the key is, or would be. There is an empty slot.
    #[inline(always)]
    fn place(slots: &[(K, T)], key: K) -> usize {
        let mask = slots.len() - 1;
        // The low bits of a hash say in which of many tables it is.
        let mut at = (key.hash() >> 16) as usize & mask;
        while slots[at].0 != key && slots[at].0 != K::NONE {
            at = (at + 1) & mask;
        }
        at
    }

    /// Adds a key if it is not there; says whether it was not.
    #[inline]
    pub fn insert(&mut self, key: K, item: T) -> Result<bool, Stop> {
        if 2 * self.len >= self.slots.len() {
            self.grow()?;
        }
        let at = Self::place(&self.slots, key);
        let slot = &mut self.slots[at];
        if slot.0 == key {
            return Ok(false);
        }
        *slot = (key, item);
        self.len += 1;
        Ok(true)
    }

    /// What a key stands for.
    #[inline(always)]
    pub fn get(&self, key: K) -> Option<T> {
        if self.slots.is_empty() {
            return None;
        }
        let (found, item) = self.slots[Self::place(&self.slots, key)];
        (found == key).then_some(item)
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) -> Result<(), Stop> {
        let (mut slots, share) = Self::slots(2 * self.slots.len(), self.memory)?;
        for &(key, item) in self.slots.iter().filter(|(key, _)| *key != K::NONE) {
            let at = Self::place(&slots, key);
            slots[at] = (key, item);
        }
        (self.slots, self.share) = (slots, share);
        Ok(())
    }

    /// All keys and what they stand for.
    pub fn entries(&self) -> impl Iterator<Item = (K, T)> + '_ {
        self.slots.iter().copied().filter(|&(key, _)| key != K::NONE)
    }

    /// All keys, in an order that adds to another table as fast as can be.
    pub fn keys(&self) -> impl Iterator<Item = K> + '_ {
        self.entries().map(|(key, _)| key)
    }
}
