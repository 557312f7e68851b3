//! Mutexes whose data a panic of their holder cannot leave half changed, so poison is ignored.

use std::sync::{Mutex, MutexGuard, PoisonError};

pub fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the data of a mutex.
pub fn into_inner<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}
