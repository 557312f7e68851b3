//! The memory limit of a solve.
//!
//! Everything that grows with the game is reserved here before it is allocated, so that
//! a game that is too large is reported instead of exhausting the machine.

use crate::error::Abort;
use std::sync::atomic::{AtomicU64, Ordering};

/// A memory limit and the part of it that is reserved.
#[derive(Debug)]
pub struct MemoryBudget {
    limit: u64,
    reserved: AtomicU64,
}

impl MemoryBudget {
    pub fn new(limit: u64) -> Self {
        Self { limit, reserved: AtomicU64::new(0) }
    }

    /// Reserves memory until the reservation is dropped.
    pub fn reserve(&self, bytes: usize) -> Result<Reservation<'_>, Abort> {
        let mut reservation = Reservation { budget: self, bytes: 0 };
        reservation.resize(bytes)?;
        Ok(reservation)
    }
}

/// Reserved memory; released when dropped.
#[derive(Debug)]
pub struct Reservation<'m> {
    budget: &'m MemoryBudget,
    bytes: u64,
}

impl Reservation<'_> {
    /// Changes the size of the reservation. On failure the size stays as it was.
    pub fn resize(&mut self, bytes: usize) -> Result<(), Abort> {
        let MemoryBudget { limit, reserved } = self.budget;
        let bytes = bytes as u64;
        if bytes > self.bytes {
            let more = bytes - self.bytes;
            let before = reserved.fetch_add(more, Ordering::Relaxed);
            if before.saturating_add(more) > *limit {
                reserved.fetch_sub(more, Ordering::Relaxed);
                return Err(Abort::Memory { needed: before.saturating_add(more) });
            }
        } else {
            reserved.fetch_sub(self.bytes - bytes, Ordering::Relaxed);
        }
        self.bytes = bytes;
        Ok(())
    }
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        self.budget.reserved.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// Returns an empty `Vec` with this capacity, or an error if the allocation fails.
pub fn try_with_capacity<T>(count: usize) -> Result<Vec<T>, Abort> {
    let mut list = Vec::new();
    match list.try_reserve_exact(count) {
        Ok(()) => Ok(list),
        Err(_) => Err(Abort::Memory { needed: (count * size_of::<T>()) as u64 }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reservations_never_exceed_the_limit_and_are_released() {
        let budget = MemoryBudget::new(100);
        let mut one = budget.reserve(60).unwrap();
        assert!(matches!(budget.reserve(41), Err(Abort::Memory { needed: 101 })));
        let other = budget.reserve(40).unwrap();
        assert!(one.resize(61).is_err());
        one.resize(10).unwrap();
        drop(other);
        assert!(one.resize(100).is_ok());
        assert!(budget.reserve(1).is_err());
        drop(one);
        assert!(budget.reserve(100).is_ok());
    }
}
