//! The lookup of a network of which some stages are not trained yet.

use crate::lookup::Lookup;
use std::ops::Deref;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The lookup of a network, and the same lookup with fewer stages: positions of later stages
/// are looked up in the last one. Dereferences to the lookup of all stages.
pub struct LimitedLookup {
    all: Lookup,
    /// The lookups whose last stage is 0, 1 and so on. Created at the first limit.
    limited: OnceLock<Vec<Lookup>>,
    last: AtomicUsize,
}

impl LimitedLookup {
    pub fn new(all: Lookup) -> Self {
        let last = AtomicUsize::new(all.stages() - 1);
        Self { all, limited: OnceLock::new(), last }
    }

    /// Uses the stages up to `last`, or all stages. Returns the lookup that does so.
    pub fn limit(&self, last: Option<usize>) -> &Lookup {
        let last = last.unwrap_or(usize::MAX).min(self.all.stages() - 1);
        self.last.store(last, Relaxed);
        self.current()
    }

    #[inline]
    pub fn current(&self) -> &Lookup {
        let last = self.last.load(Relaxed);
        if last + 1 >= self.all.stages() {
            return &self.all;
        }
        &self.limited.get_or_init(|| self.create())[last]
    }

    #[cold]
    fn create(&self) -> Vec<Lookup> {
        (0..self.all.stages() - 1).map(|last| self.all.limited(last)).collect()
    }
}

impl Deref for LimitedLookup {
    type Target = Lookup;

    fn deref(&self) -> &Lookup {
        &self.all
    }
}
