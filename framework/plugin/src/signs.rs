//! The state of the loop of a game that another thread watches.

use runner_core::Pulse;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};

/// The visible state of the loop of a game. Only the thread that runs it writes to it, except for
/// requests.
#[derive(Debug, Default)]
#[repr(align(64))]
pub struct Signs {
    /// Asks a game to end, and shows whether its moves end.
    pub pulse: Pulse,
    /// The rule that the loop has called; null outside of rules.
    rule: AtomicPtr<&'static str>,
}

impl Signs {
    /// Calls a rule of the game. It costs two stores.
    #[inline]
    pub fn in_rule<T>(&self, name: &'static &'static str, call: impl FnOnce() -> T) -> T {
        self.rule.store(ptr::from_ref(name).cast_mut(), Relaxed);
        let result = call();
        self.leave_rule();
        result
    }

    /// Notes that no rule is under way, also after one that has panicked.
    #[inline]
    pub fn leave_rule(&self) {
        self.rule.store(ptr::null_mut(), Relaxed);
    }

    /// Returns the name of the rule under way.
    pub fn rule(&self) -> Option<&'static str> {
        // SAFETY: `in_rule` stores only null and pointers to names that live as long as the
        // program.
        unsafe { self.rule.load(Relaxed).as_ref() }.copied()
    }
}
