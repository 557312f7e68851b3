//! Flags that ask the loop of a game to end, and show whether it still makes moves.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering::Relaxed};

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

/// A stop flag that also shows whether a loop still makes moves: when the loop checks the flag, it
/// answers [`ask`](Self::ask). As with a plain flag, a check only reads one byte, unless the loop
/// was asked.
#[derive(Debug, Default)]
#[repr(transparent)]
pub struct Pulse(AtomicU8);

/// The bit that is set after [`Pulse::stop`].
const STOP: u8 = 1;
/// The bit that is set by [`Pulse::ask`], until the loop answers.
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

    /// Answers, and returns true if the games were asked to end.
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
