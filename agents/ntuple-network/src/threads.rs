//! Parallel loops over the parts of a network or its file.

use runner_core::{Host, locked, unpoisoned};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Calls `work` for every number below `n` on the host's threads. Each thread has a separate
/// scratch value `S`. No call begins after a failure. Returns the error of the lowest number.
pub fn each<S: Default, E: Send>(
    host: &dyn Host,
    n: usize,
    work: impl Fn(usize, &mut S) -> Result<(), E> + Sync,
) -> Result<(), E> {
    let next = AtomicUsize::new(0);
    let failed = Mutex::new(None::<(usize, E)>);
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

/// Returns the results of `work` for every number below `n`, which runs as in [`each`].
pub fn map<T: Clone + Default + Send, E: Send>(
    host: &dyn Host,
    n: usize,
    work: impl Fn(usize) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    let results = Mutex::new(vec![T::default(); n]);
    each(host, n, |number, (): &mut ()| {
        let result = work(number)?;
        locked(&results)[number] = result;
        Ok(())
    })?;
    Ok(unpoisoned(results.into_inner()))
}
