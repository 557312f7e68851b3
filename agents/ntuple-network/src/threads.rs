//! Parallel loops over the parts of a network or its file.

use runner_core::{Host, locked, unpoisoned};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Calls `work` for every number below `n` on the host's threads. Each thread has a separate
/// scratch value `S`. No call begins after a failure. Returns the error of the lowest number.
pub fn each<S: Default, E: Send>(
    host: &dyn Host,
    n: u64,
    work: impl Fn(u64, &mut S) -> Result<(), E> + Sync,
) -> Result<(), E> {
    let next = AtomicU64::new(0);
    let failed = Mutex::new(None::<(u64, E)>);
    host.for_each(host.threads().max(1), &|_| {
        let mut scratch = S::default();
        loop {
            let number = next.fetch_add(1, Relaxed);
            if number >= n {
                return;
            }
            let Err(error) = work(number, &mut scratch) else { continue };
            next.fetch_max(n, Relaxed);
            let mut failed = locked(&failed);
            if failed.as_ref().is_none_or(|(lowest, _)| number < *lowest) {
                *failed = Some((number, error));
            }
            return;
        }
    });
    match unpoisoned(failed.into_inner()) {
        Some((_, error)) => Err(error),
        None => Ok(()),
    }
}
