//! Tasks on the threads of the host, whose results come back in order.

use crate::Stop;
use runner_core::Host;
use std::sync::{Mutex, PoisonError};

/// Fewer positions than this are not worth another thread.
const ALONE: usize = 256;

/// The threads that work on one game.
#[derive(Clone, Copy)]
pub struct Crew<'a> {
    host: &'a dyn Host,
    /// Into how many parts work is cut: a power of two.
    pub parts: usize,
}

impl<'a> Crew<'a> {
    /// The host's threads.
    pub fn new(host: &'a dyn Host) -> Self {
        // Several parts for each thread, so that none waits long for the last.
        Self { host, parts: (8 * host.threads()).next_power_of_two().clamp(8, 256) }
    }

    /// Runs a task for each part, together over so many positions, and collects
    /// what they return; the first failure, if there is one.
    pub fn gather<T: Send>(
        &self,
        positions: usize,
        task: impl Fn(usize) -> Result<T, Stop> + Sync,
    ) -> Result<Vec<T>, Stop> {
        if positions < ALONE || self.host.threads() == 1 {
            return (0..self.parts).map(task).collect();
        }
        let results: Vec<_> = (0..self.parts).map(|_| Mutex::new(None)).collect();
        self.host.for_each(self.parts, &|part| {
            let result = task(part);
            *results[part].lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
        });
        let result = |slot: Mutex<Option<_>>| {
            let done = slot.into_inner().unwrap_or_else(PoisonError::into_inner);
            done.unwrap_or_else(|| Err(Stop::fault("the host left out a task")))
        };
        results.into_iter().map(result).collect()
    }
}
