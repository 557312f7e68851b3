//! The same work for many parts of a file, on all threads.

use runner_core::Host;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// Does `work` for every number below `n` on the host's threads, each of which has
/// a scratch of its own. Of several errors, the one of the least number is told.
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
            // Those below are done or under way, and will tell.
            next.fetch_max(n, Relaxed);
            let mut failed = failed.lock().unwrap_or_else(PoisonError::into_inner);
            if failed.as_ref().is_none_or(|(least, _)| number < *least) {
                *failed = Some((number, error));
            }
            return;
        }
    });
    match failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some((_, error)) => Err(error),
        None => Ok(()),
    }
}
