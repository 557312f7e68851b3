//! A cache of networks: players of one process that use the same network load it once.

use runner_core::{locked, unpoisoned};
use std::sync::{Arc, Condvar, Mutex, Weak};
use std::time::Duration;

/// How long a thread waits for another one that loads the same network. The other thread may need
/// this one for its own tasks, so after this time this thread loads a copy.
const WAIT: Duration = Duration::from_secs(20);

/// Networks of type `T` by their keys. A network is dropped with its last user.
pub struct NetworkCache<K, T> {
    entries: Mutex<Vec<Entry<K, T>>>,
    /// Notified when a thread has loaded a network, or failed to.
    loaded: Condvar,
}

struct Entry<K, T> {
    key: K,
    /// `None` while a thread loads it.
    network: Option<Weak<T>>,
}

impl<K: PartialEq + Clone, T> NetworkCache<K, T> {
    pub const fn new() -> Self {
        Self { entries: Mutex::new(Vec::new()), loaded: Condvar::new() }
    }

    /// Returns the network with this key, and loads it if nothing uses it.
    pub fn get_or_load<E>(&self, key: K, load: impl FnOnce() -> Result<T, E>) -> Result<Arc<T>, E> {
        let is_loading = |entries: &mut Vec<Entry<K, T>>| {
            entries.iter().any(|entry| entry.key == key && entry.network.is_none())
        };
        let waited = self.loaded.wait_timeout_while(locked(&self.entries), WAIT, is_loading);
        let (mut entries, _) = unpoisoned(waited);
        entries.retain(|entry| entry.network.as_ref().is_none_or(|weak| weak.strong_count() > 0));
        let known = entries.iter().find(|entry| entry.key == key);
        if let Some(network) = known.and_then(|entry| entry.network.as_ref()?.upgrade()) {
            return Ok(network);
        }
        entries.retain(|entry| entry.key != key);
        entries.push(Entry { key: key.clone(), network: None });
        drop(entries);
        let mut loading = Loading { cache: self, key, network: None };
        let network = Arc::new(load()?);
        loading.network = Some(Arc::downgrade(&network));
        Ok(network)
    }
}

/// A network that a thread loads. Its drop stores the result in the cache, also if `load` has
/// returned an error or panicked, and wakes the threads that wait for it.
struct Loading<'a, K: PartialEq, T> {
    cache: &'a NetworkCache<K, T>,
    key: K,
    /// `None` until the network is loaded.
    network: Option<Weak<T>>,
}

impl<K: PartialEq, T> Drop for Loading<'_, K, T> {
    fn drop(&mut self) {
        let mut entries = locked(&self.cache.entries);
        match self.network.take() {
            Some(network) => {
                for entry in entries.iter_mut().filter(|entry| entry.key == self.key) {
                    entry.network = Some(network.clone());
                }
            }
            None => entries.retain(|entry| entry.key != self.key),
        }
        self.cache.loaded.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    use std::thread;

    #[test]
    fn a_network_is_loaded_once_while_something_uses_it() {
        let cache = NetworkCache::<&str, usize>::new();
        let loads = AtomicUsize::new(0);
        let get = |key| {
            let load = || {
                // The other threads ask for the network meanwhile.
                thread::sleep(Duration::from_millis(20));
                Ok::<_, ()>(loads.fetch_add(1, Relaxed))
            };
            cache.get_or_load(key, load).unwrap()
        };
        let first = thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| get("a"))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
        });
        assert!(first.iter().all(|network| Arc::ptr_eq(network, &first[0])));
        assert_eq!((*get("a"), *get("b")), (0, 1));
        drop(first);
        assert_eq!(*get("a"), 2, "nothing used it any more");
    }

    #[test]
    fn a_failed_load_is_tried_again() {
        let cache = NetworkCache::<&str, usize>::new();
        assert_eq!(cache.get_or_load("a", || Err("no memory")).err(), Some("no memory"));
        let load = || cache.get_or_load("a", || -> Result<usize, ()> { panic!("a defect") });
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(load)).is_err());
        assert_eq!(cache.get_or_load("a", || Ok::<_, ()>(3)), Ok(Arc::new(3)));
    }
}
