//! Locks whose poison is ignored. They are for data that a panic cannot leave half changed.

use std::sync::{LockResult, Mutex, MutexGuard, PoisonError};

/// Locks a mutex.
pub fn locked<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    unpoisoned(mutex.lock())
}

/// Returns the data of a lock, from any of its methods.
pub fn unpoisoned<T>(data: LockResult<T>) -> T {
    data.unwrap_or_else(PoisonError::into_inner)
}
