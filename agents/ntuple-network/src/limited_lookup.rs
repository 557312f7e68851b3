//! The lookup of a network whose later stages are not trained yet.

use crate::lookup::Lookup;
use std::ops::Deref;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// A lookup with a limit, which is the last stage in use: positions of later stages are looked up
/// in the tables of that stage. Dereferences to the lookup of all stages.
pub struct LimitedLookup {
    all: Lookup,
    /// The lookup for each limit but the last stage of all. Created at the first limit.
    limited: OnceLock<Vec<Lookup>>,
    limit: AtomicUsize,
}

impl LimitedLookup {
    pub fn new(all: Lookup) -> Self {
        let limit = AtomicUsize::new(all.stages() - 1);
        Self { all, limited: OnceLock::new(), limit }
    }

    /// Sets the limit, which may be above the last stage of all. Returns the lookup in use.
    pub fn set_limit(&self, last: usize) -> &Lookup {
        self.limit.store(last.min(self.all.stages() - 1), Relaxed);
        self.current()
    }

    #[inline]
    pub fn current(&self) -> &Lookup {
        let last = self.limit.load(Relaxed);
        if last + 1 >= self.all.stages() {
            return &self.all;
        }
        let create = || (0..self.all.stages() - 1).map(|last| self.all.limited(last)).collect();
        &self.limited.get_or_init(create)[last]
    }
}

impl Deref for LimitedLookup {
    type Target = Lookup;

    fn deref(&self) -> &Lookup {
        &self.all
    }
}
