//! How the loop of a game is asked to end, and whether its moves end.

use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU8, Ordering::Relaxed};

/// Says whether games are to end. The loops of games ask before each move.
pub trait Stop {
    /// Returns true if the games are to end.
    fn is_requested(&self) -> bool;
}

impl Stop for AtomicBool {
    #[inline(always)]
    fn is_requested(&self) -> bool {
        self.load(Relaxed)
    }
}

/// A stop flag that also shows whether the moves of a loop end: each check of the flag answers
/// [`ask`](Self::ask). A loop that is not asked reads one byte before each move, as without this.
#[derive(Debug, Default)]
#[repr(transparent)]
pub struct Pulse(AtomicU8);

const STOP: u8 = 1;
const ASKED: u8 = 2;

impl Pulse {
    /// Asks the games to end.
    pub fn stop(&self) {
        self.0.fetch_or(STOP, Relaxed);
    }

    /// Returns true if the games were asked to end.
    pub fn is_stopped(&self) -> bool {
        self.0.load(Relaxed) & STOP != 0
    }

    /// Asks the loop for an answer.
    pub fn ask(&self) {
        self.0.fetch_or(ASKED, Relaxed);
    }

    /// Returns true if the loop has answered since it was last asked.
    pub fn has_answered(&self) -> bool {
        self.0.load(Relaxed) & ASKED == 0
    }

    #[cold]
    fn answer(&self) -> bool {
        self.0.fetch_and(!ASKED, Relaxed) & STOP != 0
    }
}

impl Stop for Pulse {
    #[inline(always)]
    fn is_requested(&self) -> bool {
        self.0.load(Relaxed) != 0 && self.answer()
    }
}

/// The visible state of the loop of a game. Only the thread that runs it writes to it, except for requests.
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
        // SAFETY: `in_rule` stores only null and pointers to names that live as long as the program.
        #[allow(unsafe_code)]
        unsafe { self.rule.load(Relaxed).as_ref() }.copied()
    }
}
