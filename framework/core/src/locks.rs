//! Locks whose data a panic of their holder cannot leave half changed, so that poison is ignored.

use std::sync::{LockResult, Mutex, MutexGuard, PoisonError};

/// Locks a mutex.
pub fn locked<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    unpoisoned(mutex.lock())
}

/// Returns the data of a lock, from any of its methods.
pub fn unpoisoned<T>(data: LockResult<T>) -> T {
    data.unwrap_or_else(PoisonError::into_inner)
}
