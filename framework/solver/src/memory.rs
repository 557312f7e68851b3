//! How much memory a solve may take. Everything that grows with the game is asked
//! for here before it is allocated, so that a game too large is told of and not
//! felt.

use crate::Stop;
use std::sync::atomic::{AtomicU64, Ordering};

/// A limit, and what is taken of it.
#[derive(Debug)]
pub struct Memory {
    limit: u64,
    taken: AtomicU64,
}

impl Memory {
    /// Nothing is taken of so many bytes.
    pub fn new(limit: u64) -> Self {
        Self { limit, taken: AtomicU64::new(0) }
    }

    /// How many bytes there are.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// Takes so many bytes, for as long as the share lives.
    pub fn take(&self, bytes: usize) -> Result<Share<'_>, Stop> {
        let mut share = Share { memory: self, bytes: 0 };
        share.resize(bytes)?;
        Ok(share)
    }
}

/// A part of the memory, given back when it is dropped.
#[derive(Debug)]
pub struct Share<'m> {
    memory: &'m Memory,
    bytes: u64,
}

impl Share<'_> {
    /// Makes the share this large. One that cannot grow stays as it is.
    pub fn resize(&mut self, bytes: usize) -> Result<(), Stop> {
        let Memory { limit, taken } = self.memory;
        let bytes = bytes as u64;
        if bytes > self.bytes {
            let more = bytes - self.bytes;
            let before = taken.fetch_add(more, Ordering::Relaxed);
            if before.saturating_add(more) > *limit {
                taken.fetch_sub(more, Ordering::Relaxed);
                return Err(Stop::Memory { needed: before.saturating_add(more) });
            }
        } else {
            taken.fetch_sub(self.bytes - bytes, Ordering::Relaxed);
        }
        self.bytes = bytes;
        Ok(())
    }
}

impl Drop for Share<'_> {
    fn drop(&mut self) {
        self.memory.taken.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// An empty list with room for so many items, or what the system says if it has
/// no such memory.
pub fn room<T>(count: usize) -> Result<Vec<T>, Stop> {
    let mut list = Vec::new();
    match list.try_reserve_exact(count) {
        Ok(()) => Ok(list),
        Err(_) => Err(Stop::Memory { needed: (count * size_of::<T>()) as u64 }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_never_exceed_the_limit_and_come_back() {
        let memory = Memory::new(100);
        let mut one = memory.take(60).unwrap();
        assert!(matches!(memory.take(41), Err(Stop::Memory { needed: 101 })));
        let other = memory.take(40).unwrap();
        assert!(one.resize(61).is_err());
        one.resize(10).unwrap();
        drop(other);
        assert!(one.resize(100).is_ok());
        assert!(memory.take(1).is_err());
        drop(one);
        assert!(memory.take(100).is_ok());
    }
}
