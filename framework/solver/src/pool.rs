//! Runs tasks on the host's threads and returns their results in order.

use crate::error::Abort;
use runner_core::{Host, locked, unpoisoned};
use std::sync::Mutex;

/// Work on fewer positions than this runs on the calling thread.
const MIN_PARALLEL: usize = 256;

/// The threads of the host, and the number of parts that work is split into.
#[derive(Clone, Copy)]
pub struct ThreadPool<'a> {
    host: &'a dyn Host,
    /// Number of parts: a power of two.
    pub parts: usize,
}

impl<'a> ThreadPool<'a> {
    pub fn new(host: &'a dyn Host) -> Self {
        // Several parts per thread, so that no thread waits long for the last part.
        Self { host, parts: (8 * host.threads()).next_power_of_two().clamp(8, 256) }
    }

    /// Runs a task for each part and returns the results in order, or the first error.
    ///
    /// `positions` is the amount of work of all parts together.
    pub fn map_parts<T: Send>(
        &self,
        positions: usize,
        task: impl Fn(usize) -> Result<T, Abort> + Sync,
    ) -> Result<Vec<T>, Abort> {
        if positions < MIN_PARALLEL || self.host.threads() == 1 {
            return (0..self.parts).map(task).collect();
        }
        let results: Vec<_> = (0..self.parts).map(|_| Mutex::new(None)).collect();
        self.host.for_each(self.parts, &|part| {
            let result = task(part);
            *locked(&results[part]) = Some(result);
        });
        let missing = || Err(Abort::fault("the host did not run all tasks"));
        let done = results.into_iter().map(|slot| unpoisoned(slot.into_inner()));
        done.map(|result| result.unwrap_or_else(missing)).collect()
    }
}
